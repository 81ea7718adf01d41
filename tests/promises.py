"""Write resources/promises.md, the promises with the tests that prove them: `python -m tests.promises`.

The promises stand in resources/promises.toml; a test that proves one carries `@pytest.mark.promise("its id")`. With
`--check` nothing is written.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THEMES = ("gate-", "guests-", "lanes-", "memory-", "sessions-", "tools-", "ui-")
ID = re.compile(rf"\b(?:{'|'.join(THEMES)})[A-Z]+\d+\b")
SHORTENED = re.compile(ID.pattern + r"(?:, | and | to |-)[A-Z]{1,2}\d+\b")
MARK = "mark.promise("
STALE = "resources/promises.md is not up to date. Run `python -m tests.promises`."
HEAD = """# What Banksman promises

Written by `python -m tests.promises` from `promises.toml`; do not edit. The tests below a promise prove it.
"""


@dataclass(frozen=True)
class Promises:
    """What is promised and proved. `areas`: by title, sentences by id. `proofs`: by id, tests as path::name."""

    areas: dict[str, dict[str, str]]
    proofs: dict[str, list[str]]
    code: Mapping[str, str]

    def page(self) -> str:
        """What promises.md says when it is up to date."""
        parts = [HEAD]
        for title, promises in self.areas.items():
            parts.append(f"\n## {title}\n\n")
            for promise, sentence in promises.items():
                tests = "".join(f"  - `{test}`\n" for test in self.proofs.get(promise, []))
                parts.append(f"- **{promise}** {sentence}\n{tests}")
        return "".join(parts)

    def faults(self) -> Iterator[str]:
        """What does not fit among promises, marks and the ids in code, one line each; none when all fits."""
        known = Counter(promise for promises in self.areas.values() for promise in promises)
        for promise, times in known.items():
            if times > 1:
                yield f"{promise} stands twice in resources/promises.toml."
            if promise not in self.proofs:
                yield f"{promise} is proved by no test. Mark the test that proves it, or remove the promise."
        for promise, tests in self.proofs.items():
            if promise not in known:
                yield from (f"{test} is marked with {promise}, which is no promise." for test in tests)
        for path, text in self.code.items():
            for found in ID.finditer(text):
                if found[0] not in known:
                    yield f"{_place(path, found)}: {found[0]} is no promise of resources/promises.toml."
            for found in SHORTENED.finditer(text):
                yield f"{_place(path, found)}: write each id of '{found[0]}' in full."


def read(root: Path) -> Promises:
    """The promises of a project, and its tests as they are written; nothing is imported."""
    told = tomllib.loads((root / "resources/promises.toml").read_text(encoding="utf-8"))
    code = dict(_naming(root))
    proofs: dict[str, list[str]] = {}
    for path, text in code.items():
        if MARK in text:
            for test, promise in _marked(ast.parse(text)):
                proofs.setdefault(promise, []).append(f"{path}::{test}")
    return Promises({area["title"]: area["promises"] for area in told["area"]}, proofs, code)


def main(words: list[str]) -> int:
    """Write the page; 1 with what does not fit on standard error, and nothing written."""
    promises, page = read(ROOT), ROOT / "resources/promises.md"
    faults = list(promises.faults())
    if not faults and "--check" not in words:
        page.write_text(promises.page(), encoding="utf-8")
    elif promises.page() != page.read_text(encoding="utf-8"):
        faults.append(STALE)
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def _naming(root: Path) -> Iterator[tuple[str, str]]:
    """The path and text of each file that may name a promise, sorted."""
    for folder in ("desktop", "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if any(theme in text for theme in THEMES):
                yield path.relative_to(root).as_posix(), text


def _marked(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The names of the tests of a module, each with a promise that it is marked with."""
    for test in module.body:
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef):
            for mark in test.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith(MARK[:-1]):
                    yield test.name, str(ast.literal_eval(mark.args[0]))


def _place(path: str, found: re.Match[str]) -> str:
    return f"{path}:{found.string.count(chr(10), 0, found.start()) + 1}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
