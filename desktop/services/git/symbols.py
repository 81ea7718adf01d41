"""Symbols: where things are defined in the files of a lane, found by how a definition begins in common languages.

Covered: functions and types of Python, JavaScript, TypeScript, Go, Rust, Ruby, PHP, Kotlin, Swift, Scala, shell, SQL
objects, types of Java, C#, C and C++, and macros of C. Not covered: methods and functions of Java, C#, C and C++, whose
beginning no line tells from a call, and whatever a program makes while it runs.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from desktop.records import dataclass
from desktop.services.git.grep import GrepQuery, grep

MOST_SYMBOLS = 100_000
_NAME = r"([A-Za-z_$][\w$]*)"
_BEFORE = (
    r"\s*(?:(?:export|default|declare|public|private|protected|internal|static|final|sealed|abstract|open|data|async|"
    r"unsafe|inline|extern|partial|override|suspend|const|pub(?:\([^)]*\))?)\s+)*"
)
_BRACES = rf"{_BEFORE}(?:class|interface|enum|record|struct|trait|protocol|object|namespace|union)\s+{_NAME}"
_SCRIPT = (
    rf"{_BEFORE}(?:function\*?|type)\s+{_NAME}|"
    rf"{_BEFORE}(?:let|var|const)?\s*{_NAME}\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>)"
)
_OF_TABLES = (
    r"(?i:\s*create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index|trigger|type)\s+"
    r"(?:if\s+not\s+exists\s+)?)[\"`]?"
)
_BY_ENDING: dict[str, str] = {
    "py pyi": rf"\s*(?:async\s+)?(?:def|class)\s+{_NAME}",
    "js jsx mjs cjs ts tsx mts vue svelte": rf"{_SCRIPT}|{_BRACES}",
    "go": rf"func\s+(?:\([^)]*\)\s*)?{_NAME}|type\s+{_NAME}",
    "rs": rf"{_BEFORE}(?:fn|mod|type|impl)\s+{_NAME}|{_BRACES}|\s*macro_rules!\s+{_NAME}",
    "rb": rf"\s*(?:def|class|module)\s+(?:self\.)?{_NAME}",
    "php": rf"{_BEFORE}function\s+&?{_NAME}|{_BRACES}",
    "kt kts": rf"{_BEFORE}fun\s+(?:<[^>]*>\s*)?(?:[\w.]+\.)?{_NAME}|{_BRACES}",
    "swift": rf"{_BEFORE}(?:func|extension)\s+{_NAME}|{_BRACES}",
    "scala": rf"{_BEFORE}def\s+{_NAME}|{_BRACES}",
    "sh bash zsh": rf"\s*function\s+{_NAME}|\s*{_NAME}\s*\(\)",
    "sql": rf"{_OF_TABLES}{_NAME}",
    "java cs": _BRACES,
    "c h cc cpp cxx hpp hh": rf"{_BRACES}|\s*#\s*define\s+{_NAME}",
}
_PATTERNS = {ending: text for endings, text in _BY_ENDING.items() for ending in endings.split()}
_WORDS = (
    r"\b(def|class|function|func|fun|fn|type|interface|enum|record|struct|trait|protocol|object|namespace|union|mod|"
    r"impl|macro_rules!|module|extension|define|[Cc][Rr][Ee][Aa][Tt][Ee])\b|=\s*(async\s*)?(function\b|\()|^\s*\w+\s*\(\)"
)


@dataclass(frozen=True)
class Symbol:
    """A thing that a file defines, and the line on which that begins, from 1."""

    name: str
    path: str
    line: int


def defined_in(path: str, text: str, first_line: int = 1) -> Iterator[Symbol]:
    """What the lines of a text define, in order; `path` says in which language."""
    text_of_pattern = _PATTERNS.get(path.rpartition(".")[2].lower())
    if text_of_pattern is None:
        return
    pattern = re.compile(text_of_pattern)
    for number, line in enumerate(text.splitlines(), first_line):
        found = pattern.match(line[:400])
        if found is not None:
            yield Symbol(next(name for name in found.groups() if name), path, number)


async def all_symbols(folder: Path) -> Sequence[Symbol]:
    """What the files below a folder define that git knows or would, at most 100,000; files of secrets are left out.

    Raises:
        OSError: git cannot be run.
    """
    endings = "{" + ",".join(_PATTERNS) + "}"
    answer = await grep(folder, GrepQuery(pattern=_WORDS, glob=f"*.{endings}", max_results=MOST_SYMBOLS))
    return [one for line in answer.lines for one in defined_in(line.path, line.text, line.line)]
