"""`guests.toml`: the agents that are shipped and those of a person, read with a line for every fault (guests-A11)."""

import functools
import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from desktop.domain.guests.registry import GuestFault, GuestRow
from desktop.records import dataclass

FILE = "guests.toml"
MOST_BYTES = 1024 * 1024
_HEADER = re.compile(r"[ \t]*\[\[[ \t]*\"?guest\"?[ \t]*\]\]")


@dataclass(frozen=True)
class Registry:
    """The agents that are known, those of a person in place of shipped ones, and what is wrong with other tables."""

    rows: tuple[GuestRow, ...] = ()
    faults: tuple[GuestFault, ...] = ()

    def row(self, guest_id: str) -> GuestRow | None:
        """The agent of this id, None where there is none."""
        return next((row for row in self.rows if row.id == guest_id), None)


def read_registry(shipped: Path, own: Path) -> Registry:
    """The agents of both files; `own` need not be there. Blocking."""
    ours, theirs = _read(shipped), _read(own)
    rows = {row.id: row for row in (*ours.rows, *theirs.rows)}
    return Registry(tuple(rows.values()), (*ours.faults, *theirs.faults))


@functools.lru_cache(maxsize=8)  # every message to an agent asks, and the text is hardly ever another
def parse_registry(text: str, path: str) -> Registry:
    """The agents of a text. `path`: what faults name. Of tables with one id the first counts."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        return Registry(faults=(GuestFault(path, line, f"It is not TOML: {error}."),))
    tables = document.get("guest", [])
    if set(document) - {"guest"} or not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        return Registry(faults=(GuestFault(path, 0, "Agents are written as [[guest]], and nothing else is."),))
    begins = [number for number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    begins = begins if len(begins) == len(tables) else [0] * len(tables)
    rows: dict[str, GuestRow] = {}
    faults: list[GuestFault] = []
    for table, begin in zip(tables, begins, strict=True):
        read = _row(table)
        if isinstance(read, GuestRow) and read.id not in rows:
            rows[read.id] = read
        else:
            problem = read if isinstance(read, str) else f"Another agent is called {read.id!r} too."
            faults.append(GuestFault(path, begin, problem, str(table.get("id", ""))))
    return Registry(tuple(rows.values()), tuple(faults))


def _read(path: Path) -> Registry:
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            return Registry(faults=(GuestFault(str(path), 0, "It is larger than 1 MiB."),))
        return parse_registry(content.decode("utf-8"), str(path))
    except FileNotFoundError:
        return Registry()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return Registry(faults=(GuestFault(str(path), line, "It is not UTF-8."),))
    except OSError as error:
        return Registry(faults=(GuestFault(str(path), 0, f"It cannot be read: {error.strerror}."),))


def _row(table: dict[str, Any]) -> GuestRow | str:
    """The agent of a table, or what is wrong with it."""
    try:
        return GuestRow.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}."
