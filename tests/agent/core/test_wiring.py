"""How parts are put together, read from the sources: each gets what it needs when it is made, and little more.

A part that is told of something later is in a `Listeners` or `Voices` value. Whoever needs a value of several parts
uses at least half of it; only where things are built (`build.py`, the assembly, the engine) it is handed on whole.
"""

import ast
import functools
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import desktop

pytestmark = pytest.mark.timeout(150)  # a thousand files are parsed
ROOT = Path(desktop.__file__).parent
LAYERS = ("agent", "tools", "services")
BUILDERS = ("build.py", "late_build.py", "assembly.py", "engine.py")
VALUES = {"Frozen", "BaseModel", "StrEnum", "IntEnum", "Enum"}
ONLY_BUILT_WITH = {"Premises", "LaneBase", "Themes", "Basement", "ChatThemes", "LaneThemes", "ReviewThemes", "Assembly"}
"""What there is before and above the themes: whoever else took it would depend on all of them."""

Sources = Mapping[str, ast.Module]


@functools.cache
def read(layers: tuple[str, ...] = LAYERS) -> Sources:
    """By path below `desktop`, every module of these layers."""
    files = (file for layer in layers for file in sorted((ROOT / layer).rglob("*.py")))
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def classes(sources: Sources) -> Iterator[tuple[str, ast.ClassDef]]:
    """Those at the top of modules: there are no others that anybody else could take."""
    for path, module in sources.items():
        yield from ((path, node) for node in module.body if isinstance(node, ast.ClassDef))


def is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def is_open_dataclass(node: ast.ClassDef) -> bool:
    """Its fields can be set later."""
    return is_dataclass(node) and not any("frozen=True" in ast.unparse(one) for one in node.decorator_list)


def is_value(node: ast.ClassDef) -> bool:
    """It holds what is known, and does nothing: a dataclass, a model, an enumeration, an error."""
    bases = {ast.unparse(base).split("[")[0] for base in node.bases}
    return is_dataclass(node) or bool(bases & VALUES) or any(base.endswith("Error") for base in bases)


def working(sources: Sources) -> set[str]:
    """Names of types whose values do something: wiring, when a part holds one."""
    return {"Callable", "Publish", "Login", *(node.name for _, node in classes(sources) if not is_value(node))}


def names_in(annotation: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}


def of_self(node: ast.expr) -> str:
    """The attribute in `self.attribute`, "" for anything else."""
    owned = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if owned and isinstance(node, ast.Attribute) else ""


def declared_empty(node: ast.ClassDef, wiring: set[str]) -> set[str]:
    """Attributes for wiring that begin as None or as a function that does nothing."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.AnnAssign):
            target, annotation, value = one.target, names_in(one.annotation), one.value
        elif isinstance(one, ast.Assign):
            target, annotation, value = one.targets[0], set(), one.value
        else:
            continue
        name = of_self(target)
        if isinstance(target, ast.Name) and one in node.body and is_open_dataclass(node):
            name = target.id
        nothing = isinstance(value, ast.Constant) and value.value is None and annotation & wiring
        if name and (nothing or isinstance(value, ast.Lambda)):
            found.add(name)
    return found


def assigned_outside(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and attribute of every assignment to another object's attribute."""
    for node in ast.walk(module):
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets += [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else []
        flat = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
        yield from ((node.lineno, one.attr) for one in flat if isinstance(one, ast.Attribute) and not of_self(one))


def filled_later(sources: Sources, wiring: set[str]) -> list[str]:
    """Where wiring of a class is set in another file than the class's own."""
    owners: dict[str, list[tuple[str, str]]] = {}
    for path, node in classes(sources):
        for name in declared_empty(node, wiring):
            owners.setdefault(name, []).append((path, node.name))
    return [
        f"{path}:{line} sets {owner}.{name}, which is declared empty in {home}"
        for path, module in sources.items()
        for line, name in assigned_outside(module)
        for home, owner in owners.get(name, ())
        if home != path
    ]


def bags(sources: Sources, wiring: set[str]) -> dict[str, ast.ClassDef]:
    """Dataclasses that hold parts."""
    found = {}
    for _, node in classes(sources):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        if is_dataclass(node) and any(names_in(one.annotation) & wiring for one in fields):
            found[node.name] = node
    return found


def fields_of(bag: ast.ClassDef) -> set[str]:
    return {one.target.id for one in bag.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}


def fields_behind(bag: ast.ClassDef, name: str) -> set[str]:
    """The field of this name, or those that the method of this name works with."""
    methods = [one for one in bag.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name]
    used = {of_self(node) for method in methods for node in ast.walk(method) if isinstance(node, ast.Attribute)}
    return ({name} | used) & fields_of(bag)


def kept_as(init: ast.FunctionDef, parameter: str) -> set[str]:
    """The attributes in which a constructor keeps a parameter whole."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(init):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs += zip(target.elts, value.elts, strict=False)
            else:
                pairs.append((target, value))
    return {of_self(target) for target, value in pairs if isinstance(value, ast.Name) and value.id == parameter} - {""}


def uses_little(sources: Sources, wiring: set[str]) -> list[str]:
    """Constructors outside of what builds that take a value of parts of which they use under half."""
    known, found = bags(sources, wiring), []
    for path, node in classes(sources):
        inits = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        if path.endswith(BUILDERS) or not inits:
            continue
        for one in (*inits[0].args.args, *inits[0].args.kwonlyargs):
            bag = known.get(one.annotation.id) if isinstance(one.annotation, ast.Name) else None
            if bag is None:
                continue
            kept = kept_as(inits[0], one.arg)
            read_of = {
                use.attr
                for use in ast.walk(node)
                if isinstance(use, ast.Attribute)
                and ((isinstance(use.value, ast.Name) and use.value.id == one.arg) or of_self(use.value) in kept)
            }
            used = set[str]().union(*(fields_behind(bag, name) for name in read_of))
            if 2 * len(used) < len(fields_of(bag)):
                found.append(f"{path}: {node.name} uses {len(used)} of {len(fields_of(bag))} of {bag.name}")
    return found


def taken_whole(sources: Sources) -> list[str]:
    """Parameters outside of what builds that are all themes, or all that is offered."""
    found = []
    for path, module in sources.items():
        for node in ast.walk(module):
            if not isinstance(node, ast.arg) or node.annotation is None or path.endswith(BUILDERS):
                continue
            taken = names_in(node.annotation) & (ONLY_BUILT_WITH | {"Offers"})
            if taken and (path, taken) != ("agent/gate/judge.py", {"Offers"}):
                found.append(f"{path}:{node.lineno} takes {', '.join(taken)}")
    return found


def test_nothing_is_wired_after_it_was_made() -> None:
    sources = read()
    assert filled_later(sources, working(read((*LAYERS, "providers", "store")))) == []


def test_what_takes_a_value_of_parts_uses_half_of_it() -> None:
    sources = read()
    assert uses_little(sources, working(read((*LAYERS, "providers", "store")))) == []


def test_only_what_builds_takes_all_themes_and_only_the_judge_all_offers() -> None:
    assert taken_whole(read()) == []


def test_the_rules_find_what_breaks_them() -> None:
    one = """
        @dataclass(frozen=True)
        class Parts:
            judge: Judge
            caller: Caller
            store: Store

            def ask(self):
                return self.judge, self.caller

        class Judge:
            def __init__(self):
                self.rebase: Callable[[], None] | None = None
                self.report = lambda: None
                self.last_at: float | None = None

        class Thrifty:
            def __init__(self, parts: Parts):
                self._judge, self._parts = parts.judge, parts

        class Fair:
            def __init__(self, parts: Parts):
                self._parts = parts

            def go(self):
                self._parts.ask()
    """
    two = """
        def wire(judge, offers: Offers):
            judge.rebase = judge.report = print
            judge.last_at = 1.0
            judge.rebase, judge.report = print, print
    """
    texts = {"agent/one.py": one, "agent/two.py": two}
    sources = {path: ast.parse(textwrap.dedent(text)) for path, text in texts.items()}
    wiring = working(sources)
    found = [line.split(", ")[0] for line in filled_later(sources, wiring)]
    assert found == [
        "agent/two.py:3 sets Judge.rebase",
        "agent/two.py:3 sets Judge.report",
        "agent/two.py:5 sets Judge.rebase",
        "agent/two.py:5 sets Judge.report",
    ]
    assert uses_little(sources, wiring) == ["agent/one.py: Thrifty uses 1 of 3 of Parts"]
    assert taken_whole(sources) == ["agent/two.py:2 takes Offers"]
