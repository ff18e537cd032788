"""report.md: the verdict first, then what failed, then everything behind it."""

from harness.reporting.metrics import metrics
from harness.reporting.overview import Overview
from harness.reporting.sections import (
    HOW_TO_READ,
    decided,
    dimensions,
    failed,
    head,
    lists,
    should,
    tools,
    ungraded,
    unscored,
    verdict,
)


def render_markdown(data: Overview) -> str:
    """Return report.md as one text: what it comes to, what failed and why, then everything else."""
    parts = [*head(data), *verdict(data), *decided(data), *unscored(data), *failed(data)]
    parts += dimensions(data)
    parts += [*metrics(data.measured), *lists(data), *tools(data), *should(data)]
    parts += ["## How to read this", HOW_TO_READ.rstrip(), *ungraded(data)]
    return "\n\n".join(parts) + "\n"
