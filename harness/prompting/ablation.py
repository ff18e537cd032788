"""Take one rule at a time out of a prompt pack: the sentence that carries its anchor, or the whole line."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from harness.errors import InvalidInput
from harness.model import Contract, Scenario, ToolSpec
from harness.model.contract import TEMPLATE
from harness.prompting.anchors import anchored_clauses, paragraphs
from harness.prompting.lint import read_pack
from harness.prompting.lint.pack import Pack
from harness.prompting.render import render, template_of

_SENTENCES = re.compile(r"(?<=[.!?:;])\s+(?=\S)")
MOST_TOGETHER = 2
"""So many sentences of a line are taken out together, before the line is."""
MOST_LINES = 8
"""In more lines than this no rule is told."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """A pack without one rule.

    `clauses` are those that it no longer tells, one anchor or several; `removed` is what was taken out of the
    template and `line` where that began. `source` is None where the rule cannot be taken out of the pack,
    because the description of a tool tells it as well.
    """

    contract: Contract
    clauses: frozenset[str]
    line: int
    removed: tuple[str, ...]
    source: str | None

    def write(self, folder: Path) -> Path:
        """Write the pack below a folder of packs and return that folder."""
        file = folder / self.contract.id / TEMPLATE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.source or "", encoding="utf-8")
        return folder


def ablations(
    contract: Contract, packs: Path, scenario: Scenario, tools: Sequence[ToolSpec], scratch: Path
) -> Iterator[Ablation]:
    """Yield the pack of a contract without each of its rules in turn; rules that fall together come once.

    Args:
        contract: whose anchors are sought.
        packs: the folder of packs.
        scenario: with which prompts are rendered.
        tools: those on offer, whose descriptions may tell rules too.
        scratch: an empty folder, for templates that are tried.

    Raises:
        InvalidInput: the pack is missing, or its template cannot be rendered.
    """
    source = template_of(contract, packs).read_text(encoding="utf-8")
    bench = _Bench(contract, scenario, tools, scratch)
    all_told, seen = bench.told(source), frozenset[frozenset[str]]()
    for name in (each for each in contract.anchors if each in all_told):
        if any(name in each for each in seen):
            continue
        found = _without(name, source, bench)
        if found.clauses not in seen:
            seen |= {found.clauses}
            yield found


@dataclass(frozen=True, slots=True)
class _Bench:
    """Where templates are tried: what they render to, and which rules that tells."""

    contract: Contract
    scenario: Scenario
    tools: Sequence[ToolSpec]
    scratch: Path

    def told(self, template: str) -> frozenset[str]:
        """Return the anchored clauses that a template tells; raise InvalidInput where it renders nothing."""
        self._write(template)
        prompt = render(self.scenario, self.contract, self.scratch)
        return anchored_clauses(self.contract, prompt, self.tools) & frozenset(self.contract.anchors)

    def pack(self, template: str) -> Pack | None:
        """Return a template with what it renders for probes."""
        self._write(template)
        return read_pack(self.scratch, self.contract)

    def _write(self, template: str) -> None:
        Ablation(self.contract, frozenset(), 1, (), template).write(self.scratch)


def _without(name: str, source: str, bench: _Bench) -> Ablation:
    """Return the pack without one clause's rule; a rule that stands in several places leaves all of them."""
    removed: list[str] = []
    lines: list[int] = []
    template, all_told = source, bench.told(source)
    for _ in range(MOST_LINES):
        pack = bench.pack(template)
        line = _line_with(name, pack) if pack else None
        if line is None:
            break
        template, part = _lesser(name, template, line, bench.told)
        removed.append(part)
        lines.append(line)
        left = bench.told(template)
        if name not in left:
            return Ablation(bench.contract, all_told - left, lines[0], tuple(removed), template)
    return Ablation(bench.contract, frozenset({name}), lines[0] if lines else 1, tuple(removed), None)


def _line_with(name: str, pack: Pack) -> int | None:
    """Return the line of the template that tells a rule, or None where none does."""
    anchor = pack.contract.anchors[name]
    blocks = [each for each in paragraphs(pack.text) if anchor.found_in((each,))]
    lines = [line for line in pack.text.splitlines() if line.strip()]
    for block in blocks:
        own = [line for line in lines if " ".join(line.lower().split()) in block]
        hits = {line: sum(bool(re.search(each, line.lower())) for each in anchor.patterns) for line in own}
        if hits:
            return pack.line_of(max(own, key=lambda each: hits[each]))
    return None


def _lesser(name: str, template: str, line: int, told: Callable[[str], frozenset[str]]) -> tuple[str, str]:
    """Return the template with as little less of a line as untells a rule, and what was taken out."""
    lines = template.splitlines(keepends=True)
    text = lines[line - 1].rstrip("\n")
    mark, body = _marked(text)
    sentences = _SENTENCES.split(body)
    best: tuple[int, str, str] | None = None
    for size in range(1, min(MOST_TOGETHER, len(sentences) - 1) + 1):
        for gone in combinations(range(len(sentences)), size):
            kept = " ".join(each for at, each in enumerate(sentences) if at not in gone)
            made = "".join([*lines[: line - 1], f"{mark}{kept}\n", *lines[line:]])
            try:
                left = told(made)
            except InvalidInput:
                continue
            if name not in left and (best is None or len(left) > best[0]):
                best = (len(left), made, " ".join(sentences[at] for at in gone))
        if best:
            return best[1], best[2]
    return "".join([*lines[: line - 1], *lines[line:]]), text.strip()


def _marked(text: str) -> tuple[str, str]:
    """Return the mark of a list item, if a line has one, and the rest."""
    found = re.match(r"\s*(?:[-*]|\d+\.)\s+", text)
    return (found[0], text[found.end() :]) if found else ("", text)
