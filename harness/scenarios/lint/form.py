"""How scenario files are named and worded."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from harness.contracts.taxonomy import REASON_CODES
from harness.scenarios.files import shown
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.vocabulary import BUSINESS_WORDS, VOCABULARY
from harness.scenarios.lint.written import Written
from harness.scenarios.load import FAMILIES, Project

_WORDS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_ABOUT_TESTS = re.compile(r"\b(should|tests? that)\b", re.IGNORECASE)
_FLOW_OF = {"incident": "incident", "recovery": "recovery"}


def misplaced_files(project: Project) -> Iterator[LintFinding]:
    """Yield the YAML files that the loader passes over in silence."""
    read = (*FAMILIES, "worlds", "catalogs")
    for path in sorted((*project.scenarios.rglob("*.yaml"), *project.scenarios.rglob("*.yml"))):
        family = path.relative_to(project.scenarios).parts[0]
        if path.suffix == ".yml":
            yield LintFinding(shown(path), 1, "SCN-1", "is not read; name it .yaml")
        elif family not in read:
            yield LintFinding(shown(path), 1, "SCN-1", f"is not read; the folders are {', '.join(read)}")


def file_named(written: Written) -> Iterator[LintFinding]:
    """File names are `<situation>-<twist>` in kebab-case, in the folder of their flow."""
    scenario = written.scenario
    folder, _, stem = scenario.id.rpartition("/")
    if not _NAME.fullmatch(stem):
        message = f"found the file name {stem!r}; write <situation>-<twist> in kebab-case"
        yield LintFinding(shown(written.document.path), 1, "SCN-1", message)
    if scenario.flow != _FLOW_OF.get(folder, scenario.flow):
        yield written.says(("flow",), f"found {scenario.flow!r} in the folder {folder}/")


def tags_kebab(written: Written) -> Iterator[LintFinding]:
    """Tags are kebab-case, each once."""
    tags = written.scenario.tags
    for index, tag in enumerate(tags):
        if not _WORDS.fullmatch(tag):
            yield written.says(("tags", index), f"found {tag!r}; write it in kebab-case")
        if tag in tags[:index]:
            yield written.says(("tags", index), f"found {tag!r} twice; keep one")


def described(written: Written) -> Iterator[LintFinding]:
    """A description tells a situation, not what is tested; `because` says something."""
    about_tests = _ABOUT_TESTS.search(written.scenario.description)
    if about_tests:
        message = f"found {about_tests[0]!r}; describe the situation, not the test"
        yield written.says(("description",), message)
    if not written.scenario.expect.because.strip():
        yield written.says(("expect", "because"), "found nothing; an expectation needs its reason")


def descriptions_differ(scenarios: Sequence[Written]) -> Iterator[LintFinding]:
    """Yield the descriptions that stand in several files."""
    by_text: dict[str, list[Written]] = defaultdict(list)
    for written in scenarios:
        by_text[" ".join(written.scenario.description.casefold().split())].append(written)
    for same in by_text.values():
        for written in same[1:]:
            first = same[0].scenario.id
            yield written.says(("description",), f"the same as that of {first}; say how this one differs")


def names_hyphenated(written: Written) -> Iterator[LintFinding]:
    """Resource names are hyphenated and no vocabulary word, so that no honest keyword equals them (QRY-4)."""
    scenario = written.scenario
    names: list[tuple[tuple[str | int, ...], str]] = [
        (("signal", "resource_name"), scenario.signal.resource_name),
        *(
            (("expect", "targets", i), each.rsplit("/", 1)[-1])
            for i, each in enumerate(scenario.expect.targets)
        ),
    ]
    for place, name in names:
        if name.casefold() in VOCABULARY:
            yield written.says(place, f"the name {name!r} is a word of the vocabulary; choose another")
        elif "-" not in name:
            message = f"the name {name!r} has no hyphen; an honest keyword could equal it"
            yield written.says(place, message)
    namespace = scenario.signal.namespace
    if "-" not in namespace and namespace != scenario.business.environment:
        message = f"the namespace {namespace!r} has no hyphen; an honest keyword could equal it"
        yield written.says(("signal", "namespace"), message, level="warning")


def business_words(written: Written) -> Iterator[LintFinding]:
    """Business values outside the vocabulary pass byte for byte, but are rarely meant."""
    for name, value in written.scenario.business.given().items():
        words = BUSINESS_WORDS.get(name)
        if words and value not in words:
            yield written.says(
                ("business", name), f"found {value!r}; usual are {', '.join(words)}", level="warning"
            )


def reasons_known(written: Written) -> Iterator[LintFinding]:
    """An unknown failure reason passes and gets the generic guidance (REQ-2)."""
    scenario = written.scenario
    failures = {("earlier", index): each.failure for index, each in enumerate(scenario.earlier)}
    places: dict[tuple[str | int, ...], str] = {place: each.reason for place, each in failures.items()}
    if scenario.previous:
        places[("previous",)] = scenario.previous.failure.reason
    for place, reason in places.items():
        if reason not in REASON_CODES:
            message = f"found {reason!r}; it is no known code, so the prompt gives generic guidance"
            yield written.says((*place, "failure", "reason"), message, clause="REQ-2", level="warning")
