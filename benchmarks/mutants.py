"""Mutants of the functions of a module: mutmut's operators, one small change each.

mutmut's own runner is not used: it wraps every function in a dispatcher, which deepens the stack (facts on
shallow stacks fail unmutated) and makes the tests four times slower. Its operators need no such thing.
"""

import difflib
import gc
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

CACHED = frozenset({"cache", "lru_cache", "property", "cached_property"})
"""Decorators through which the function beneath can be reached."""


@dataclass(frozen=True)
class Mutant:
    """One function with one change.

    `key` is made of the function's name and the changed text, so that it survives edits elsewhere;
    `lines` are those of the changed expression, `within` those of the function.
    """

    key: str
    file: str
    function: str
    lines: range
    within: range
    change: str
    source: str


class _Visitor(MutationVisitor):
    """As mutmut's; also into functions that are merely cached or properties, and not into `typing.cast`."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef) and node.decorators:
            return not all(_name(each.decorator) in CACHED for each in node.decorators)
        if isinstance(node, cst.Call) and _name(node.func) == "cast":
            return True
        return super()._skip_node_and_children(node)


def _name(node: cst.BaseExpression) -> str:
    node = node.func if isinstance(node, cst.Call) else node
    node = node.attr if isinstance(node, cst.Attribute) else node
    return node.value if isinstance(node, cst.Name) else ""


def mutants(file: Path, root: Path) -> Iterator[Mutant]:
    """Yield the mutants of a file's functions and methods; what stands outside of them stays as it is."""
    wrapper = MetadataWrapper(cst.parse_module(file.read_text(encoding="utf-8")))
    visitor = _Visitor(mutation_operators, IgnoredCode(set(), set(), set()))
    module = wrapper.visit(visitor)
    positions = wrapper.resolve(PositionProvider)
    names = _qualified(module)
    seen: set[str] = set()
    for each in visitor.mutations:
        function = each.contained_by_top_level_function
        if not isinstance(function, cst.FunctionDef) or function not in names:
            continue
        bare = function.with_changes(leading_lines=())
        changed: Any = deep_replace(bare, each.original_node, each.mutated_node)
        before, after = module.code_for_node(bare), module.code_for_node(changed)
        dotted = f"{'.'.join(file.relative_to(root).with_suffix('').parts[1:])}.{names[function]}"
        key = f"{dotted} {sha256(after.encode()).hexdigest()[:8]}"
        if key in seen or not _compiles(after):
            continue
        seen.add(key)
        lines, within = (_lines(positions[node]) for node in (each.original_node, function))
        name, change = str(file.relative_to(root)), _change(before, after)
        yield Mutant(key, name, names[function], lines, within, change, after)


def _lines(place: CodeRange) -> range:
    return range(place.start.line, place.end.line + 1)


def _qualified(module: cst.Module) -> dict[cst.FunctionDef, str]:
    found: dict[cst.FunctionDef, str] = {}
    for each in module.body:
        if isinstance(each, cst.FunctionDef):
            found[each] = each.name.value
        elif isinstance(each, cst.ClassDef):
            methods = (inner for inner in each.body.body if isinstance(inner, cst.FunctionDef))
            found.update({inner: f"{each.name.value}.{inner.name.value}" for inner in methods})
    return found


def _compiles(source: str) -> bool:
    try:
        compile(source, "<mutant>", "exec")
    except SyntaxError:
        return False
    return True


def _change(before: str, after: str) -> str:
    """Return the changed lines, the old ones with a minus, the new ones with a plus."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(f"{each[0]} {textwrap.dedent(each[2:])}" for each in lines if each[0] in "+-")


# Putting one in


def put_in(mutant: Mutant) -> bool:
    """Let the function run the mutant's code, wherever it was imported to; return whether that differs."""
    dotted = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    module = importlib.import_module(dotted)
    target = _function(module, mutant.function)
    names = dict(vars(module))
    exec(compile(mutant.source, target.__code__.co_filename, "exec"), names)  # noqa: S102 - our own source, changed
    made = _undecorated(names[mutant.function.rsplit(".", 1)[-1]])
    same = _essence(made.__code__) == _essence(target.__code__) and _defaults(made) == _defaults(target)
    old, target.__code__ = target.__code__, made.__code__
    target.__defaults__, target.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
    _replace_inner(old, made.__code__)
    return not same


def _replace_inner(old: CodeType, new: CodeType) -> None:
    """Give functions that were made inside of the old one, when a module was imported, the new code too."""
    pairs = dict(zip(_inner(old), _inner(new), strict=False))
    if not pairs:
        return
    # What is frozen is hidden from the collector's lists.
    gc.unfreeze()
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__ in pairs:
            made = pairs[each.__code__]
            if made.co_freevars == each.__code__.co_freevars:
                each.__code__ = made
    gc.freeze()


def _inner(code: CodeType) -> list[CodeType]:
    """Return functions and lambdas within a function, not what is made anew in every call anyway."""
    within = [each for each in code.co_consts if isinstance(each, CodeType)]
    found = [each for each in within if not each.co_name.startswith("<") or each.co_name == "<lambda>"]
    return [each for outer in found for each in (outer, *_inner(outer))]


def _function(module: ModuleType, name: str) -> FunctionType:
    *holders, last = name.split(".")
    found: Any = module
    for each in holders:
        found = getattr(found, each)
    return _undecorated(inspect.getattr_static(found, last))


def _undecorated(found: Any) -> FunctionType:
    for name in ("fget", "func", "__func__"):
        found = getattr(found, name, found)
    function: object = inspect.unwrap(found)
    if not isinstance(function, FunctionType):
        msg = f"{found!r}: no Python function"
        raise TypeError(msg)
    return function


def _defaults(function: FunctionType) -> str:
    return repr((function.__defaults__, function.__kwdefaults__))


def _essence(code: CodeType) -> tuple[Any, ...]:
    """Return what the code does, without where it stood."""
    constants = [
        _essence(each) if isinstance(each, CodeType) else (each.__class__.__name__, repr(each))
        for each in code.co_consts
    ]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
