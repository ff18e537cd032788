"""The list that a prompt gives in place of a search: whole, as it is spelled, under a neutral heading."""

import json
from collections.abc import Iterator

from harness.catalog import given_list
from harness.contracts.wire import as_shown, decode_given, decode_hits
from harness.model import Message
from harness.prompting.lint import probes
from harness.prompting.lint.pack import Pack
from harness.prompting.lint.sections import CONCLUSION
from harness.scenarios.lint import LintFinding

_TITLE = "Available Playbooks"


def list_whole(pack: Pack) -> Iterator[LintFinding]:
    """Yield what keeps a list from showing every field of every entry, and a heading that judges (PRM-11)."""
    found = given_list(pack.contract, probes.full(pack.contract.flow))
    if found is None:
        return
    for part in pack.parts:
        concluded = CONCLUSION.search(part.title)
        if concluded and pack.contract.result.list_key in part.title.lower():
            message = f"the heading {part.title!r} holds {concluded[0]!r}; a list has a neutral one"
            yield pack.says("PRM-11", message, pack.heading_line(part.title))
    shown = decode_given(pack.contract, [Message("user", pack.text)])
    spelled = as_shown(pack.contract, found.hits, found.total)
    wanted = decode_hits(pack.contract, json.dumps(spelled))
    if wanted and shown != wanted[0]:
        what = "is not in the prompt" if shown is None else "differs from the catalog's"
        message = f"the list {what}; render {{{{ catalog }}}} in a json block of its own"
        yield pack.says("PRM-11", message, pack.heading_line(_TITLE))
