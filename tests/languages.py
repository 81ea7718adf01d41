"""The texts of the window and their translations: `python -m tests.languages`.

It writes each text that has no translation yet into `resources/languages`, with an empty one, and takes out what the
window no longer says. The texts of a theme of the window stand in a file of its name, those of several themes in
`common.json`. With `--check` nothing is written.
"""

import ast
import json
import re
import string
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from desktop.language import GERMAN, SAID

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "languages"
COMMON, PROMISES, AGENTS = "common", "promises", "agents"
CODES = (GERMAN,)
STALE = "resources/languages is not up to date. Run `python -m tests.languages` and translate what is empty there."
TOOLS = "tools"
BELOW = ("policy", "domain", "store", "services", "providers", "agent", "config", "bridge", TOOLS)
"""The layers whose sentences the window shows. Of what tools say, most is read by a model alone."""
SENTENCE = re.compile(r"(?:1 |[A-Z“'{])[^\n]*[.!?…]")
CLAUSE = re.compile(
    r"(?:it|its ['a-z{}]+|they|there|this [a-z]+|nobody|no [a-z]+|a part of it|(?:the|a) [A-Za-z]+(?: [a-z]+){0,3}) "
    r"(?:is|are|was|were|has|have|cannot|could|did|does|would|took|ended|sent|came|changed|answered|printed|\w+s) "
    r"[^\n]*[^.:,;\s(=“]|[a-z]+ [^\n]*[a-z0-9}]\."
)
"""A reason that stands within a sentence: "it is longer than {} bytes"."""
NO_CLAUSES = ("store/library/", "agent/mcp/card.py", "agent/memory/", "providers/demo.py", "store/core/verify_audit.py")
"""Where clauses stand that no window shows."""
NO_SENTENCE = re.compile(r"[\\\[\]^<>]|^\{\}[^a-z]*\{?\}?[^a-z]*$|%s|\b(?:SELECT|DELETE|UPDATE|WHERE|ORDER BY) ")
WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? (?:[a-zA-Z(“'{])")
TABLES = ("_REASONS", "_TOLD")
"""How tables are called whose values are words of sentences: what the window shows, it translates."""
LOGGED = ("debug", "info", "warning", "error", "exception", "setObjectName", "compile")
FIELD = re.compile(r"\{[^{}]*\}")
Told = str | list[str]


@dataclass(frozen=True)
class Text:
    """One text of the window. `key`: as the files name it. `one`: its form for one, where it counts."""

    key: str
    one: str | None
    place: str

    @property
    def fields(self) -> set[str]:
        """The names of the values in it."""
        return fields(self.key.rpartition("|")[2] if self.one is None else self.key)


def fields(text: str) -> set[str]:
    """The names in braces; a text that is never formatted has none that are names."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}
    except ValueError:
        return set()


@cache
def texts() -> tuple[Text, ...]:
    """All that `tr`, `trn` and `count` are asked for in the program."""
    found = []
    for file in sorted((ROOT / "desktop").rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "desktop.language" in source or "count(" in source or file.name == "language.py":
            found += _texts_of(ast.parse(source), str(file.relative_to(ROOT)))
    return tuple(found)


def strays() -> Iterator[str]:
    """Where a text is asked for that does not stand there, so that nobody can translate it."""
    for file in sorted((ROOT / "desktop").rglob("*.py")):
        for call in _calls(ast.parse(file.read_text(encoding="utf-8"))):
            if _name(call) in ("tr", "trn") and _literals(call) is None:
                yield f"{file.relative_to(ROOT)}:{call.lineno}"


def by_file() -> Mapping[str, dict[str, Text]]:
    """The texts by the file that they belong to."""
    themes: dict[str, set[str]] = defaultdict(set)
    first: dict[str, Text] = {}
    for text in texts():
        themes[text.key].add(_theme(text.place))
        first.setdefault(text.key, text)
    files: dict[str, dict[str, Text]] = defaultdict(dict)
    for key in sorted(first):
        files[next(iter(themes[key])) if len(themes[key]) == 1 else COMMON][key] = first[key]
    return files


def kept(code: str) -> dict[str, Told]:
    """What the files of a language hold, all together; a translation before an empty one, where two hold a text."""
    held: dict[str, Told] = {}
    for file in sorted((FOLDER / code).rglob("*.json")):
        held |= {key: told for key, told in read(file).items() if key not in held or (told and all(told))}
    return held


def read(file: Path) -> dict[str, Told]:
    """The translations of one file."""
    held: dict[str, Told] = json.loads(file.read_text(encoding="utf-8"))
    return held


def written(code: str) -> dict[str, str]:
    """What the files of a language hold when they are up to date, by file name."""
    known = kept(code)
    window = {
        f"{name}.json": _json({key: known.get(key, "" if text.one is None else ["", ""]) for key, text in held.items()})
        for name, held in by_file().items()
    }
    below = {
        f"{SAID}/{layer}.json": _json({text: known.get(text, "") for text in held}) for layer, held in sayings().items()
    }
    return window | below


def sayings() -> Mapping[str, dict[str, str]]:
    """The sentences that the layers below the window say, by layer: the places by the sentence, with `{}` for each part
    that differs."""
    found: dict[str, dict[str, str]] = {}
    for layer in BELOW:
        held: dict[str, str] = {}
        for file in sorted((ROOT / "desktop" / layer).rglob("*.py")):
            place = str(file.relative_to(ROOT / "desktop"))
            tree, clauses = ast.parse(file.read_text(encoding="utf-8")), not place.startswith(NO_CLAUSES)
            for node, text in _told_by_tools(tree) if layer == TOOLS else _sentences(tree, clauses=clauses):
                if not any(text in other for other in found.values()):
                    held.setdefault(text, f"{file.relative_to(ROOT)}:{node.lineno}")
        found[layer] = dict(sorted(held.items()))
    found[PROMISES] = {text: "resources/promises.toml" for text in sorted(promised())}
    found[AGENTS] = dict(sorted(described()))
    return found


def described() -> Iterator[tuple[str, str]]:
    """What the sub-agents are for that come with the program, and where that stands."""
    for file in sorted((ROOT / "resources" / "agents").glob("*.md")):
        said = re.search(r"^description: (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        if said is not None:
            yield said[1], str(file.relative_to(ROOT))


def promised() -> set[str]:
    """What Banksman promises, with the headings of that."""
    areas = tomllib.loads((ROOT / "resources" / "promises.toml").read_text(encoding="utf-8"))["area"]
    return {_plain(one) for area in areas for one in (area["title"], *area["promises"].values())}


def _told_by_tools(tree: ast.Module) -> Iterator[tuple[ast.JoinedStr | ast.Constant, str]]:
    """What a tool tells people: on its card, of the fields that a person can edit there, and in Settings (`varies`)."""
    shown = {id(one) for node in ast.walk(tree) if _is_for_people(node) for one in ast.walk(node)}
    edits = (node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "editable")
    names = {one.value for edit in edits for one in ast.walk(edit) if isinstance(one, ast.Constant)}
    fields_of = (node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign))
    edited = (one for one in fields_of if isinstance(one.target, ast.Name) and one.target.id in names)
    shown |= {id(one) for field in edited for one in ast.walk(field)}
    yield from ((node, text) for node, text in _sentences(tree, clauses=True) if id(node) in shown)


def _is_for_people(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name.endswith("card")
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id.endswith(TABLES)
    if isinstance(node, ast.Assign):
        return any(isinstance(one, ast.Name) and one.id in ("CAN_SEND", "_CARD") for one in node.targets)
    return isinstance(node, ast.keyword) and node.arg == "varies"


def _sentences(tree: ast.Module, *, clauses: bool = False) -> Iterator[tuple[ast.JoinedStr | ast.Constant, str]]:
    """The literals that are whole sentences, and what stands in a table of `TABLES`: no docstrings,
    expressions or parts of other texts. `clauses`: reasons that stand within a sentence, too."""
    inner = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in ast.walk(node)}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    tables = (one for one in tree.body if isinstance(one, ast.AnnAssign) and isinstance(one.value, ast.Dict))
    named = (one for one in tables if isinstance(one.target, ast.Name) and one.target.id.endswith(TABLES))
    values = [value for one in named if isinstance(one.value, ast.Dict) for value in one.value.values]
    reasons = {id(one) for value in values for one in (value.elts if isinstance(value, ast.Tuple) else [value])}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (one.value if isinstance(one, ast.Constant) else None for one in node.values)
            text = "".join("{}" if part is None else _plain(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            text = _plain(node.value)
        else:
            continue
        whole = SENTENCE.fullmatch(text) and WORDS.search(text)
        if (id(node) in reasons and text) or (
            (whole or (clauses and CLAUSE.fullmatch(text))) and not NO_SENTENCE.search(text)
        ):
            yield node, text


def call_titles() -> Iterator[tuple[str, str]]:
    """How the titles of calls begin that tools draw: place and words."""
    for file in sorted((ROOT / "desktop" / "tools").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        drawn = (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name.endswith("_card"))
        for made in drawn:
            for call in ast.walk(made):
                if isinstance(call, ast.Call) and _name_of(call) == "Card":
                    for text in _begins(call.keywords[0].value):
                        yield f"{file.relative_to(ROOT)}:{call.lineno}", text


def _name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _begins(node: ast.expr) -> Iterator[str]:
    """What a title that is put together begins with, where that is words."""
    if isinstance(node, ast.JoinedStr):
        yield from _begins(node.values[0])
    elif isinstance(node, ast.BinOp):
        yield from _begins(node.left)
    elif isinstance(node, ast.Call) and node.args:
        yield from _begins(node.args[0])
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def bare() -> Iterator[str]:
    """Where the window holds a whole sentence that is not asked for by `tr`, nor by a call or a statement that is not
    for people: place and sentence."""
    for file in sorted((ROOT / "desktop" / "ui").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        passed = {id(one) for node in ast.walk(tree) if _speaks_to_nobody(node) for one in ast.walk(node)}
        passed |= {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
        for node, text in _sentences(tree):
            if id(node) not in passed:
                yield f"{file.relative_to(ROOT)}:{node.lineno} {text}"


def _speaks_to_nobody(node: ast.AST) -> bool:
    """Whether what stands in it is translated, raised, logged or compared."""
    if isinstance(node, ast.Call):
        return _name(node) in ("tr", "trn") or (isinstance(node.func, ast.Attribute) and node.func.attr in LOGGED)
    return isinstance(node, ast.Raise | ast.Assert | ast.Compare)


def _plain(text: object) -> str:
    """A literal; what it names in braces, which is put in or said as it is, differs."""
    around = (part.replace("{", "{{").replace("}", "}}") for part in FIELD.split(str(text)))
    return "{}".join(around)


def _texts_of(tree: ast.Module, place: str) -> Iterator[Text]:
    for call in _calls(tree):
        held = _literals(call)
        if held is None:
            continue
        name, where = _name(call), f"{place}:{call.lineno}"
        if name == "tr":
            context = next((k.value.value for k in call.keywords if k.arg == "context"), "")  # type: ignore[attr-defined]
            yield Text(f"{context}|{held[0]}" if context else held[0], None, where)
        elif name == "trn":
            yield Text(held[1], held[0], where)
        else:
            yield Text(f"{{n}} {held[1] if held[1:] else held[0] + 's'}", f"{{n}} {held[0]}", where)


def _json(told: Mapping[str, Told]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in ("tr", "trn", "count"))


def _name(call: ast.Call) -> str:
    named = call.func
    if isinstance(named, ast.Attribute):
        ours = named.attr == "count" and isinstance(named.value, ast.Name) and named.value.id == "fmt"
        return named.attr if ours else ""
    return named.id if isinstance(named, ast.Name) else ""


def _literals(call: ast.Call) -> list[str] | None:
    """The texts that a call names, None where one is no literal."""
    given = call.args[:1] if _name(call) == "tr" else call.args[1:3]
    held = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    enough = len(held) == len(given) and len(held) >= (2 if _name(call) == "trn" else 1)
    return held if enough else None


def _theme(place: str) -> str:
    parts = Path(place).parts
    return parts[2] if parts[1] == "ui" else COMMON


def main() -> int:
    """Bring the files up to date, or say that they are not."""
    stale = 0
    for code in CODES:
        folder = FOLDER / code
        wanted = written(code)
        there = {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in folder.rglob("*.json")}
        if there == wanted:
            continue
        stale = 1
        if "--check" in sys.argv[1:]:
            continue
        (folder / SAID).mkdir(parents=True, exist_ok=True)
        for name in there.keys() - wanted.keys():
            (folder / name).unlink()
        for name, text in wanted.items():
            (folder / name).write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        print(STALE)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
