"""The promises of Banksman, as the shipped page resources/promises.md says them."""

import re
from pathlib import Path

from desktop.config.folders import resource_folder
from desktop.records import dataclass

_LINE = re.compile(r"## (?P<area>.+)|- \*\*(?P<id>[a-z]+-[A-Z]+\d+)\*\* (?P<sentence>.+)|  - (?P<test>`.+`)")


@dataclass(frozen=True)
class Promise:
    """One promise. `area`: the heading it stands under; `tests`: how many tests prove it."""

    id: str
    area: str
    sentence: str
    tests: int


def promises(page: Path | None = None) -> tuple[Promise, ...]:
    """The promises in the order of the page; None: the page that is shipped.

    Raises:
        OSError: the page cannot be read.
    """
    text = (page or resource_folder() / "promises.md").read_text(encoding="utf-8")
    area, found, tests = "", list[tuple[str, str, str]](), list[int]()
    for line in text.splitlines():
        told = _LINE.fullmatch(line)
        if told is None:
            continue
        if told["area"]:
            area = told["area"]
        elif told["id"]:
            found.append((told["id"], area, told["sentence"]))
            tests.append(0)
        elif tests:
            tests[-1] += 1
    return tuple(Promise(*facts, count) for facts, count in zip(found, tests, strict=True))
