"""A clause, what judges it and its test, in a checkout of the harness: real code, a rule to begin with.

The rule is true but small (the root cause is told briefly), its clause is REPORT and stands in no contract:
it moves no verdict until somebody writes the rule that is meant and lists the clause.
"""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from harness.cli.scaffolding.files import STARTER, Scaffold
from harness.contracts.clauses import CLAUSES
from harness.errors import InvalidInput, UnknownName
from harness.graders import GRADERS
from harness.scenarios import Project
from harness.scenarios.files import shown

LINE = 110
_CLAUSE = re.compile(r"([A-Z]{3})-(\d+)")
_NAME = re.compile(r"([a-z_]+)\.([a-z][a-z0-9_]{2,39})")
_USED = ("Finding", "Sample", "Score", "not_applicable", "verdict")


def new_grader(project: Project, clause_id: str, name: str) -> Scaffold:
    """Return the edits that add a clause with its grader, and its test.

    Raises:
        InvalidInput: this is no checkout of the harness, or a name is wrong or taken.
    """
    root = project.root / "harness"
    clauses, registry = root / "contracts" / "clauses.py", root / "graders" / "__init__.py"
    if not clauses.is_file() or not registry.is_file():
        raise InvalidInput(
            f"{shown(project.root)}: is no checkout of the harness; graders are part of it, so clone it, "
            f"or judge by the clauses there are: `harness list clauses`"
        )
    prefix = _free(clause_id, clauses)
    module, function = _place(name, prefix)
    code = root / "graders" / f"{module}.py"
    if re.search(rf"^def {function}\b", code.read_text(encoding="utf-8"), re.MULTILINE):
        raise InvalidInput(f"NAME: {name!r} is there already, in {shown(code)}; choose another")
    dimension = next(each.dimension for each in CLAUSES if each.id.startswith(f"{prefix}-"))
    words = {"clause": clause_id, "module": module, "function": function, "dimension": dimension}
    test = project.root / "tests" / "graders" / f"test_{module}_{function}.py"
    edited = {
        clauses: _after(clauses, rf' {{8}}"{prefix}-\w+",.*?\n {{4}}\),\n', _filled("clause.py.txt", words)),
        code: _with_imports(code) + _filled("grader.py.txt", words),
        registry: _after(
            registry, rf' {{4}}Grader\("{prefix}-.*?\n', f'    Grader("{clause_id}", {name}, ("answer",)),\n'
        ),
    }
    return Scaffold({test: _filled("test_grader.py.txt", words)}, _next_steps(project, words, test), edited)


def _filled(name: str, words: Mapping[str, str]) -> str:
    return Template((STARTER / name).read_text(encoding="utf-8")).substitute(words)


def _next_steps(project: Project, words: Mapping[str, str], test: Path) -> tuple[str, ...]:
    clause, file = words["clause"], f"harness/graders/{words['module']}.py"
    steps = f"""\
pytest {test.relative_to(project.root)}
write the rule that is meant into {file}, and what it says into harness/contracts/clauses.py
list {clause} in `clauses` and its anchor in `anchors` of each contract that has the rule; what is released is
  frozen, so copy it first: harness new contract NAME
say the rule in the prompt of each such contract, so that its anchor is found: harness lint -c PATH
add what breaks {clause} and nothing else: a splice in tests/graders/test_splices.py, and a violation
harness explain {clause}"""
    return tuple(steps.splitlines())


def _free(clause_id: str, clauses: Path) -> str:
    """Return the prefix of a clause id that nobody has."""
    known = list(dict.fromkeys(each.id.partition("-")[0] for each in CLAUSES))
    parts = _CLAUSE.fullmatch(clause_id)
    if not parts:
        raise InvalidInput(
            f"CLAUSE: found {clause_id!r}; an id is three capitals and a number, as SEL-12; the capitals are "
            f"{', '.join(known)}"
        )
    if parts[1] not in known:
        raise UnknownName("dimension of clauses", parts[1], known)
    text = clauses.read_text(encoding="utf-8")
    if f'"{clause_id}"' in text:
        numbers = [int(each) for each in re.findall(rf'"{parts[1]}-(\d+)\w?"', text)]
        raise InvalidInput(f"CLAUSE: {clause_id!r} is taken; {parts[1]}-{max(numbers) + 1} is free")
    return parts[1]


def _place(name: str, prefix: str) -> tuple[str, str]:
    """Return module and function of a grader; the module is one that judges clauses of this prefix."""
    judging = [each.name for each in GRADERS if each.clause.startswith(f"{prefix}-")]
    modules = sorted({each.partition(".")[0] for each in judging})
    parts = _NAME.fullmatch(name)
    if not modules:
        raise InvalidInput(f"CLAUSE: {prefix} clauses compare samples; they are relations, not graders")
    if not parts or parts[1] not in modules:
        raise InvalidInput(
            f"NAME: found {name!r}; use {' or '.join(modules)}, a dot, and a function of 3 to 40 characters "
            f"that says what holds, as {modules[0]}.ids_are_short"
        )
    return parts[1], parts[2]


def _after(path: Path, pattern: str, addition: str) -> str:
    """Return the text of a file with an addition after the last match of a pattern."""
    text = path.read_text(encoding="utf-8")
    found = list(re.finditer(pattern, text, re.DOTALL))
    if not found:
        raise InvalidInput(f"{shown(path)}: holds nothing like {pattern!r}; add this by hand: {addition}")
    end = found[-1].end()
    return text[:end] + addition + text[end:]


def _with_imports(path: Path) -> str:
    """Return the code of a module with `from harness.model import` of all that the new function uses."""
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module == "harness.model" and node.end_lineno:
            names = sorted({*(each.name for each in node.names), *_USED}, key=_import_order)
            line = f"from harness.model import {', '.join(names)}"
            if len(line) > LINE:
                line = "from harness.model import (\n" + "".join(f"    {each},\n" for each in names) + ")"
            lines = text.splitlines()
            return "\n".join([*lines[: node.lineno - 1], line, *lines[node.end_lineno :]]) + "\n"
    raise InvalidInput(f"{shown(path)}: does not import from harness.model; add this grader by hand")


def _import_order(name: str) -> tuple[int, str]:
    """Return what sorts imported names as ruff does: constants, classes, functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)
