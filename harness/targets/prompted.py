"""One target under several prompt packs: a target for each, told apart by its name with the pack's."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InvalidInput
from harness.prompting.render import PACKS
from harness.store import RunInfo
from harness.targets.accounts import Gate, Limits, Paced
from harness.targets.protocol import Binding, ModelReply, ModelRequest, Target

BUILT_IN = "built-in"
"""What the packs of the harness are called where a folder of packs is expected."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def pack_folder(prompts: Path | str | None) -> Path:
    """Return the folder that `--prompts` or a run means."""
    return PACKS if prompts is None or str(prompts) == BUILT_IN else Path(prompts)


def pack_names(prompts: Sequence[Path | str]) -> dict[str, str]:
    """Return several packs by the names that tell their targets apart: those of the folders.

    Raises:
        InvalidInput: two have one name, or one has a name that no id of a sample can hold.
    """
    found: dict[str, str] = {}
    for each in map(str, prompts):
        name = BUILT_IN if each == BUILT_IN else Path(each).resolve().name
        if not _NAME.fullmatch(name):
            msg = (
                f"--prompts {each}: found the folder's name {name!r}; among several packs use one of "
                f"letters, digits, '.', '_' and '-': ids of samples are made of it"
            )
            raise InvalidInput(msg)
        if name in found:
            msg = f"--prompts {each}: found a second pack called {name!r}; give the folder another name"
            raise InvalidInput(msg)
        found[name] = each
    return found


def under_each(targets: Sequence[Target], packs: Mapping[str, str]) -> list[Target]:
    """Return every target once for each pack."""
    return [prompted(each, f"{each.name}+{name}", pack) for each in targets for name, pack in packs.items()]


def prompted(target: Target, name: str, prompts: str) -> Target:
    """Return a target under a name that says which prompts it is given; its pace stays its account's."""
    return (
        _PacedPrompted(target, name, prompts)
        if isinstance(target, Paced)
        else _Prompted(target, name, prompts)
    )


def recorded_packs(info: RunInfo) -> dict[str, str]:
    """Return which prompts each target of a run with several packs was given; none where there was one."""
    recorded = {name: settings.get("recorded", settings) for name, settings in info.targets.items()}
    return {name: settings["prompts"] for name, settings in recorded.items() if settings.get("prompts")}


@dataclass(frozen=True, slots=True)
class _Prompted:
    target: Target
    name: str
    prompts: str

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self.target.settings, "prompts": self.prompts}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the target's next message."""
        return await self.target.reply(request, binding)

    async def close(self) -> None:
        """Let go of connections."""
        await self.target.close()


class _PacedPrompted(_Prompted):
    @property
    def account(self) -> str:
        return self._paced.account

    @property
    def limits(self) -> Limits:
        return self._paced.limits

    def paced_by(self, gate: Gate) -> None:
        """Send through this gate from now on."""
        self._paced.paced_by(gate)

    @property
    def _paced(self) -> Paced:
        if not isinstance(self.target, Paced):
            msg = f"{self.name}: has no account"
            raise TypeError(msg)
        return self.target
