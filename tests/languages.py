"""The texts of the window and their translations: `python -m tests.languages`.

It writes each text that has no translation yet into `resources/languages`, with an empty one, and takes out what the
window no longer says. The texts of a theme of the window stand in a file of its name, those of several themes in
`common.json`. With `--check` nothing is written.
"""

import ast
import json
import string
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from desktop.language import GERMAN

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "languages"
COMMON = "common"
CODES = (GERMAN,)
STALE = "resources/languages is not up to date. Run `python -m tests.languages` and translate what is empty there."
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
        if "desktop.language" in source or "count(" in source:
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
    """What the files of a language hold, all together."""
    return {key: told for file in sorted((FOLDER / code).glob("*.json")) for key, told in read(file).items()}


def read(file: Path) -> dict[str, Told]:
    """The translations of one file."""
    held: dict[str, Told] = json.loads(file.read_text(encoding="utf-8"))
    return held


def written(code: str) -> dict[str, str]:
    """What the files of a language hold when they are up to date, by file name."""
    known = kept(code)
    return {
        f"{name}.json": json.dumps(
            {key: known.get(key, "" if text.one is None else ["", ""]) for key, text in held.items()},
            ensure_ascii=False,
            indent=1,
        )
        + "\n"
        for name, held in by_file().items()
    }


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
        there = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.json")}
        if there == wanted:
            continue
        stale = 1
        if "--check" in sys.argv[1:]:
            continue
        folder.mkdir(parents=True, exist_ok=True)
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
