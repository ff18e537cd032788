"""The remediation catalog: what can be selected, and what a search returns."""

from typing import Any, Literal

from pydantic import Field

from harness.model.frozen import frozen
from harness.model.values import Value

ParameterType = Literal["string", "integer", "number", "boolean"]
Labels = dict[str, str | list[str]]


class Parameter(Value):
    """One declared parameter of a workflow, with every constraint the seeds know."""

    type: ParameterType
    required: bool = False
    description: str | None = None
    default: str | int | float | bool | None = None
    enum: list[str | int | float] | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    pattern: str | None = None
    depends_on: list[str] = Field(default_factory=list)


class Entry(Value):
    """One version of one workflow in the catalog.

    `labels` has keys `kubernaut.io/<kebab>`; a list means that any of its values matches. What follows the
    parameters is shown or used by some contracts only: `prerequisites` are labels that a node of the cluster
    must carry, `success_rate` is the share of earlier runs that succeeded.
    """

    workflow_id: str
    version: str
    status: Literal["active", "deprecated", "disabled"] = "active"
    is_latest_version: bool = True
    description: str
    labels: Labels
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    title: str | None = None
    estimated_duration: str | None = None
    success_rate: float | None = Field(default=None, ge=0, le=1)
    prerequisites: dict[str, str] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """What people call it: its title, else its id in words."""
        return self.title or self.workflow_id.replace("-", " ").capitalize()

    def label(self, name: str) -> list[str]:
        """Return the values that match for a version-free label name, as "risk_tolerance"."""
        value = self.labels.get("kubernaut.io/" + name.replace("_", "-"), [])
        return [value] if isinstance(value, str) else list(value)


@frozen
class Hit:
    """One entry as a search or a list shows it, in version-free words; None is what is not shown."""

    id: str
    version: str | None
    confidence: float | None
    parameters: dict[str, Any]
    title: str | None = None
    description: str | None = None
    estimated_duration: str | None = None
    success_rate: float | None = None
