"""One file of rules: read with a line for every fault (gate-R4, gate-R7), written back with its comments (gate-R2)."""

import hashlib
import json
import os
import re
import stat
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic import ValidationError

from desktop.config.private_files import make_private_file, make_private_folder, write_durably
from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import RuleError
from desktop.domain.gate.rules import Rule, RuleScope, RuleState
from desktop.late import late
from desktop.policy.rule_check import Judge, own_test_fault, rule_fault

if TYPE_CHECKING:
    from tomlkit.items import AoT, Table

VERSION = 1
MAX_BYTES = 1024 * 1024
_LOCK_WAIT_S = 1.0
_HEADER = re.compile(r"[ \t]*\[\[[ \t]*\"?rule\"?[ \t]*\]\]")
_IN_FILE = tuple(name for name in Rule.model_fields if name != "scope")
_TIMES = ("created_at", "expires_at")

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    _OPEN, _NO_LINK = os.O_RDONLY, 0

    def _take(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    _OPEN, _NO_LINK = os.O_RDONLY | os.O_NONBLOCK, os.O_NOFOLLOW

    def _take(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class FileFault(Exception):
    """A file of rules cannot be read as a whole. `line` 0: the fault has no line."""

    def __init__(self, fault: str, line: int = 0) -> None:
        super().__init__(fault)
        self.fault = fault
        self.line = line


class ReadRules(Frozen):
    """The rules that a file holds. `faults`: rules that name no kind or target, so that nothing can come of them."""

    states: tuple[RuleState, ...] = ()
    faults: tuple[str, ...] = ()
    sha256: str = ""


def read_bytes(path: Path, *, follow: bool = True) -> bytes | None:
    """The bytes of a regular file of at most 1 MiB; None when there is none. `follow`: it may be a link.

    Raises:
        FileFault: it is something else, too large, or cannot be read.
    """
    try:
        handle = os.open(path, _OPEN if follow else _OPEN | _NO_LINK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FileFault(f"it cannot be read ({error.strerror})") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileFault("it is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > MAX_BYTES:
        raise FileFault("it is larger than 1 MiB")
    return content


def parse_rules(content: bytes, scope: RuleScope, judge: Judge) -> ReadRules:
    """The rules of a file, each with what is wrong with it.

    Raises:
        FileFault: it is not UTF-8 or not TOML, of another version, or has keys that nobody knows.
    """
    text, raw = _tables(content)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    lines = lines if len(lines) == len(raw) else [0] * len(raw)
    states: list[RuleState] = []
    faults: list[str] = []
    seen: set[str] = set()
    for table, line in zip(raw, lines, strict=True):
        where = f"Line {line}: " if line else ""
        rule, problem = _built(table, scope)
        if rule is None:
            faults.append(f"{where}{problem}")
            continue
        problem = problem or (f"another rule is called {rule.id} too" if rule.id in seen else "")
        seen.add(rule.id)
        states.append(_judged(rule, problem, where, judge))
    return ReadRules(states=tuple(states), faults=tuple(faults), sha256=hashlib.sha256(content).hexdigest())


def _tables(content: bytes) -> tuple[str, list[dict[str, Any]]]:
    try:
        text = content.decode("utf-8")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise FileFault("it is not UTF-8", content[: error.start].count(b"\n") + 1) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        at_end = "at end of document" in str(error)
        raise FileFault(str(error), int(line[1]) if line else text.count("\n") + 1 if at_end else 0) from error
    if unknown := sorted(set(document) - {"version", "rule"}):
        raise FileFault(f"unknown key {unknown[0]!r} (rules are [[rule]])", _line_of(text, unknown[0]))
    if document.get("version", VERSION) != VERSION:
        raise FileFault(f"it is of version {document['version']}; this Banksman knows {VERSION}")
    rules = document.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise FileFault("rules are written as [[rule]]", _line_of(text, "rule"))
    return text, rules


def _line_of(text: str, key: str) -> int:
    found = (number for number, line in enumerate(text.splitlines(), 1) if line.lstrip(" \t[\"'").startswith(key))
    return next(found, 0)


def _built(table: dict[str, Any], scope: RuleScope) -> tuple[Rule | None, str]:
    """The rule as far as its table can be understood, and the first thing that cannot."""
    fields = {name: value for name, value in table.items() if name in _IN_FILE}
    unknown = sorted(set(table) - set(_IN_FILE) - {"network"})
    problem = f"unknown key {unknown[0]!r}" if unknown else ""
    if table.get("network", "off") != "off":
        problem = problem or "a command rule gives no network"
    fields.setdefault("id", derived_id(table))
    for name in _TIMES:
        if name in fields and getattr(fields[name], "tzinfo", None) is None:
            problem = problem or f"{name} needs a time with its zone, such as 2026-11-21T14:02:00Z"
            del fields[name]
    while True:  # each round takes a field away, or is the last
        try:
            return Rule.model_validate({**fields, "scope": scope}), problem
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            name = str(first["loc"][0])
            problem = problem or f"{name}: {first['msg']}"
            if fields.pop(name, None) is None or name in ("decision", "kind"):
                return None, problem


def derived_id(table: dict[str, Any]) -> str:
    """The name of a rule that was written without one: the same for the same text."""
    return "r-" + hashlib.sha256(json.dumps(table, sort_keys=True, default=str).encode()).hexdigest()[:4]


def _judged(rule: Rule, problem: str, where: str, judge: Judge) -> RuleState:
    if fault := problem or rule_fault(rule):
        named = rule.decision != "allow" and bool(rule.text.strip(" ›"))
        return RuleState(rule=rule, active=named, problem=f"{where}{fault}")
    if fault := own_test_fault(rule, judge):
        return RuleState(rule=rule, active=rule.decision != "allow", problem=f"{where}{fault}")
    return RuleState(rule=rule)


def change_rules(path: Path, change: "Callable[[AoT], None]") -> None:
    """Change the rules of a file under its lock: all or nothing, its comments kept, for its owner alone.

    Raises:
        RuleError: the file is not usable as it is, is in use, or cannot be written; nothing was changed.
    """
    target = path.resolve()
    try:
        make_private_folder(target.parent)
        with _locked(target.parent / ".rules.lock"):
            content = read_bytes(target) or b""
            _tables(content)
            document = late("tomlkit").parse(content.decode("utf-8"))
            if "version" not in document:
                document["version"] = VERSION
            rules = document.get("rule")
            if rules is None:
                document["rule"] = rules = late("tomlkit").aot()
            if not isinstance(rules, late("tomlkit").items.AoT):
                raise FileFault("rules are written as [[rule]]", _line_of(content.decode("utf-8"), "rule"))
            change(rules)
            if not rules.body:
                del document["rule"]
            written = str(late("tomlkit").dumps(document)).encode("utf-8")
            _tables(written)
            write_durably(target, written)
    except FileFault as fault:
        where = f", line {fault.line}" if fault.line else ""
        raise RuleError(f"{path}{where}: {fault.fault}. Correct the file first; nothing was saved.") from fault
    except OSError as error:
        raise RuleError(f"Could not save {path}: {error.strerror or error}. Nothing was changed.") from error


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    make_private_file(file)
    with file.open("r+b") as held:
        limit = time.monotonic() + _LOCK_WAIT_S
        while not _take(held):
            if time.monotonic() > limit:
                raise RuleError(f"The rules in {file.parent} are being changed by another program. Try again.")
            time.sleep(0.02)
        yield


def rule_table(rule: Rule) -> "Table":
    """The rule as it stands in a file: what differs from the default, in the order of the format."""
    table: Table = late("tomlkit").table()
    kept = rule.model_dump(exclude={"scope"})
    for name in ("id", "decision", "kind", *_IN_FILE):
        value = kept.pop(name, None)
        if value is None or (name not in ("id", "decision", "kind") and value == Rule.model_fields[name].default):
            continue
        table[name] = [*value] if isinstance(value, tuple) else value
    return table
