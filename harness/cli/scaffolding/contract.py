"""A contract of one's own: a released one copied, its prompt too, under another id."""

import ast
import re
import sys
from pathlib import Path

from harness.cli.scaffolding.files import Scaffold
from harness.contracts import CONTRACTS
from harness.errors import InvalidInput
from harness.model import Contract
from harness.model.contract import TEMPLATE
from harness.prompting.render import template_of
from harness.scenarios import Project
from harness.scenarios.contracts import CODE, ID, ID_RULE, find_contract
from harness.scenarios.files import shown

_HEADER = '''\
"""{title}: a copy of {source}, to be edited.

Copied, never inherited from: what is released stays as it is, and this module says all there is to say. It
is executed where somebody names its folder or its id. `prompt.md.j2` is its prompt; `harness lint` holds the
two against each other. Every clause named below is judged; a rule whose anchor stands in no paragraph of the
prompt is not held against anyone.
"""
'''


def new_contract(project: Project, name: str, source: str) -> Scaffold:
    """Return the folder of a new contract that is a copy of another one.

    Raises:
        InvalidInput: the name is no id, or that of a released contract; or the other one cannot be copied.
    """
    if not ID.fullmatch(name):
        raise InvalidInput(f"NAME: found {name!r}; the id of a contract is {ID_RULE}")
    if name in [each.id for each in CONTRACTS]:
        raise InvalidInput(f"NAME: {name!r} is released with the harness; give yours an id of its own")
    contract = find_contract(source, project)
    folder = project.contracts / name
    code = _renamed(_code_of(contract), contract, name)
    prompt = template_of(contract).read_text(encoding="utf-8")
    commands = (f"harness lint -c {shown(folder)}/", f"harness run -c {name}", f"harness schema {name}")
    return Scaffold({folder / CODE: code, folder / TEMPLATE: prompt}, commands)


def _code_of(contract: Contract) -> Path:
    if contract.origin:
        return Path(contract.origin.folder, CODE)
    return Path(str(sys.modules[contract.build_request.__module__].__file__))


def _renamed(path: Path, contract: Contract, name: str) -> str:
    """Return the code of a contract with another docstring and id."""
    source = path.read_text(encoding="utf-8")
    body = ast.parse(source).body
    lines = source.splitlines(keepends=True)
    documented = ast.get_docstring(ast.Module(body, [])) is not None
    after = "".join(lines[body[0].end_lineno if documented else 0 :]).lstrip("\n")
    code, count = re.subn(rf'\bid="{re.escape(contract.id)}"', f'id="{name}"', after)
    if count != 1:
        raise InvalidInput(f'{shown(path)}: found id="{contract.id}" {count} times; copy this one by hand')
    return _HEADER.format(title=contract.title, source=contract.id) + "\n" + code
