"""The files of rules: what counts for a call, and the only code that changes one (gate-R2). Never called by a tool."""

import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.base import Frozen
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import RuleError
from desktop.domain.gate.rules import Rule, RuleFile, RuleScope, RuleState
from desktop.policy.rule_check import Judge, saving_problem
from desktop.policy.rules import is_in_force
from desktop.records import dataclass
from desktop.store.gate.rule_file import (
    FileFault,
    ReadRules,
    change_rules,
    derived_id,
    parse_rules,
    read_bytes,
    rule_table,
)

if TYPE_CHECKING:
    from tomlkit.items import AoT

LISTED_AFTER_EXPIRY = timedelta(days=30)
WAITING = "Waits until you trust this content of the file."
SHARED_FILE = Path(".banksman", "rules.toml")
_PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NEVER = datetime.max.replace(tzinfo=UTC)
_Signature = tuple[int, ...] | None


def default_managed_path() -> Path:
    """The file in which the administrator of this computer keeps rules for everyone."""
    if sys.platform == "win32":  # pragma: no cover
        return Path(os.environ.get("PROGRAMDATA", "C:/ProgramData"), "banksman", "rules.toml")
    if sys.platform == "darwin":  # pragma: no cover
        return Path("/Library/Application Support/banksman/rules.toml")
    return Path("/etc/banksman/rules.toml")


_REFUSED_TOLD: Mapping[str, str] = {"any": "The rule {rule!r} was not saved: {problem}"}


class RuleBook(Frozen):
    """The rules that count for the calls of one lane now.

    `rules`: all that are in force, of every file; `match_rules` sorts out expired ones and other lanes. `files`: for
    Settings, in the order managed, user, project, shared. `unreadable`: file, line and fault of each file that cannot
    be read, "" if all can: then every call that does not only read asks. `waiting`: allow rules of the repository's
    own file that nobody has trusted yet.
    """

    rules: tuple[Rule, ...] = ()
    files: tuple[RuleFile, ...] = ()
    unreadable: str = ""
    waiting: tuple[Rule, ...] = ()


@dataclass
class _Known:
    """One file as it was read last. `good`: the states of the last content that could be read."""

    signature: _Signature = None
    loaded: bool = False
    read: ReadRules = field(default_factory=ReadRules)
    good: tuple[RuleState, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class _Bound:
    """A book and what it was made of. `until`: when a rule in it expires."""

    signatures: tuple[_Signature, ...]
    book: RuleBook
    until: datetime


class RuleStore:
    """The rules of this computer, this person, a project and its repository. One thread at a time.

    `judge` is the judgement of whole command lines that real calls get; the rules' own tests run with it.
    """

    def __init__(
        self,
        data_folder: Path,
        config_folder: Path,
        *,
        judge: Judge,
        managed_path: Path | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._folder = data_folder / "rules"
        self._user = config_folder / "rules.toml"
        self._managed = managed_path or default_managed_path()
        self._judge = judge
        self._clock = clock
        self._files: dict[tuple[RuleScope, Path], _Known] = {}
        self._books: dict[tuple[str, Path | None], _Bound] = {}

    def path(self, scope: RuleScope, project_id: str = "", repo_root: Path | None = None) -> Path:
        """The file of a scope.

        Raises:
            RuleError: the scope has no file, or the project cannot name one.
        """
        if scope == "managed":
            return self._managed
        if scope == "user":
            return self._user
        if scope == "project" and _PROJECT_ID.fullmatch(project_id):
            return self._folder / f"{project_id}.toml"
        if scope == "shared" and repo_root is not None:
            return repo_root / SHARED_FILE
        raise RuleError(f"There is no file for {scope} rules here. Open a project first.")

    def book(self, project_id: str, repo_root: Path | None) -> RuleBook:
        """The rules that count now. Files are read again when they changed; otherwise this costs a few microseconds.

        `repo_root`: the checkout whose shared file counts. Lane-bound rules of all lanes are in it. Never raises.
        """
        key = (project_id, repo_root)
        paths = self._paths(project_id, repo_root)
        signatures = (*(_signature(path) for _, path in paths), _signature(self._trust_file(project_id)))
        now, bound = self._clock(), self._books.get(key)
        if bound is None or bound.signatures != signatures or now >= bound.until:
            bound = self._bind(project_id, paths, signatures, now)
            self._books[key] = bound
        return bound.book

    def save(self, rule: Rule, scope: RuleScope, project_id: str = "", *, call: str = "") -> Rule:
        """Add a rule for the person; it has its id, its scope and its time then. `call`: the command line it is made
        from, which it must match.

        Raises:
            RuleError: the rule may not be saved, or its file cannot be written. Nothing was changed.
        """
        path = self._writable(scope, project_id)
        made = rule.model_copy(update={"scope": scope, "created_at": self._clock(), "id": "r-new"})
        self._refuse_unusable(made, call)
        saved: list[Rule] = []

        def add(rules: "AoT") -> None:
            taken = {str(table.get("id")) for table in rules.body}
            new = made.model_copy(update={"id": _new_id(taken)})
            rules.append(rule_table(new))
            saved.append(new)

        change_rules(path, add)
        return saved[0]

    def replace(self, rule: Rule, scope: RuleScope, project_id: str = "") -> Rule:
        """Put this rule in the place of the one with its id. Its origin stays that of the old one.

        Raises:
            RuleError: there is no such rule, it may not be saved, or its file cannot be written.
        """
        path = self._writable(scope, project_id)
        made = rule.model_copy(update={"scope": scope})
        self._refuse_unusable(made, "")

        def put(rules: "AoT") -> None:
            rules[_place(rules, rule.id)] = rule_table(made)

        change_rules(path, put)
        return made

    def remove(self, rule_id: str, scope: RuleScope, project_id: str = "") -> None:
        """Take the rule away; it counts no more from the next call on.

        Raises:
            RuleError: there is no such rule, or its file cannot be written.
        """

        def cut(rules: "AoT") -> None:
            del rules[_place(rules, rule_id)]

        change_rules(self._writable(scope, project_id), cut)

    def forget_lane(self, project_id: str, lane_id: str) -> None:
        """Take away the project's rules for a lane that is merged or archived.

        Raises:
            RuleError: the file cannot be read or written.
        """
        path = self._writable("project", project_id)
        if not any(state.rule.lane == lane_id for state in self._load("project", path).read.states):
            return

        def cut(rules: "AoT") -> None:
            for index in reversed([i for i, table in enumerate(rules.body) if table.get("lane") == lane_id]):
                del rules[index]

        change_rules(path, cut)

    def trust_shared(self, project_id: str, repo_root: Path, sha256: str, by: str) -> tuple[Rule, ...]:
        """Let the allow rules of the repository's own file count, for exactly this content; the rules that now do.

        Raises:
            RuleError: the file is another one by now, cannot be read, or the trust cannot be kept.
        """
        path, trust = self.path("shared", project_id, repo_root), self._trust_file(project_id)
        known = self._load("shared", path)
        if known.fault or not sha256 or known.read.sha256 != sha256 or trust is None:
            reason = known.fault or "its content is another one by now"
            raise RuleError(f"The rules in {path} were not trusted: {reason}. Look at them again.")
        record = {"sha256": sha256, "by": by, "at": self._clock().isoformat(timespec="seconds"), "path": str(path)}
        try:
            make_private_folder(trust.parent)
            write_durably(trust, json.dumps(record).encode())
        except OSError as error:
            raise RuleError(f"The rules in {path} were not trusted: {error.strerror or error}. Try again.") from error
        return tuple(state.rule for state in known.read.states if state.active and state.rule.decision == "allow")

    def _writable(self, scope: RuleScope, project_id: str) -> Path:
        if scope not in ("user", "project"):
            raise RuleError(f"Banksman does not write {scope} rules. Save it for yourself or for the project.")
        return self.path(scope, project_id)

    def _refuse_unusable(self, rule: Rule, call: str) -> None:
        if problem := saving_problem(rule, self._judge, call=call):
            raise RuleError(_REFUSED_TOLD["any"].format(rule=rule.text, problem=problem))

    def _paths(self, project_id: str, repo_root: Path | None) -> list[tuple[RuleScope, Path]]:
        paths: list[tuple[RuleScope, Path]] = [("managed", self._managed), ("user", self._user)]
        if _PROJECT_ID.fullmatch(project_id):
            paths.append(("project", self._folder / f"{project_id}.toml"))
        if repo_root is not None:
            paths.append(("shared", repo_root / SHARED_FILE))
        return paths

    def _trust_file(self, project_id: str) -> Path | None:
        return self._folder / f"{project_id}.trust.json" if _PROJECT_ID.fullmatch(project_id) else None

    def _load(self, scope: RuleScope, path: Path) -> _Known:
        known = self._files.setdefault((scope, path), _Known())
        signature = _signature(path)
        if known.loaded and known.signature == signature:
            return known
        known.signature, known.loaded = signature, True
        try:
            content = read_bytes(path, follow=scope != "shared")
            known.read = ReadRules() if content is None else parse_rules(content, scope, self._judge)
            known.good, known.fault = known.read.states, ""
        except FileFault as fault:
            known.read = ReadRules(states=tuple(_last_good(state) for state in known.good))
            known.fault = f"{path}{f', line {fault.line}' if fault.line else ''}: {fault.fault}"
        return known

    def _bind(
        self, project_id: str, paths: list[tuple[RuleScope, Path]], signatures: tuple[_Signature, ...], now: datetime
    ) -> _Bound:
        files: list[RuleFile] = []
        faults: list[str] = []
        for scope, path in paths:
            known = self._load(scope, path)
            trusted = scope != "shared" or known.read.sha256 == self._trusted(project_id)
            files.append(_listed(scope, path, known, trusted=trusted, now=now))
            faults += [known.fault] if known.fault else []
        rules = tuple(state.rule for file in files for state in file.rules if state.active)
        until = min((rule.expires_at for rule in rules if rule.expires_at is not None), default=_NEVER)
        book = RuleBook(
            rules=rules,
            files=tuple(files),
            unreadable=" · ".join(faults),
            waiting=tuple(rule for file in files for rule in file.waiting),
        )
        return _Bound(signatures, book, until)

    def _trusted(self, project_id: str) -> str:
        """The content of the shared file that a person trusted; "" if none."""
        trust = self._trust_file(project_id)
        try:
            record = json.loads((read_bytes(trust) if trust is not None else None) or b"{}")
        except (FileFault, ValueError):
            return ""
        sha256 = record.get("sha256") if isinstance(record, dict) else None
        return sha256 if isinstance(sha256, str) else ""


def _signature(path: Path | None) -> _Signature:
    if path is None:
        return None
    try:
        found = os.stat(path)  # noqa: PTH116  # once a call and file: half the time of Path.stat
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return (error.errno or 0,)
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _last_good(state: RuleState) -> RuleState:
    active = state.active and state.rule.decision != "allow"
    return state.model_copy(update={"active": active, "problem": state.problem or "The file cannot be read now."})


def _listed(scope: RuleScope, path: Path, known: _Known, *, trusted: bool, now: datetime) -> RuleFile:
    states: list[RuleState] = []
    waiting: list[Rule] = []
    for state in known.read.states:
        rule = state.rule
        if not is_in_force(rule, now):
            if rule.expires_at is not None and now - rule.expires_at < LISTED_AFTER_EXPIRY:
                states.append(state.model_copy(update={"active": False, "problem": "Expired."}))
        elif state.active and rule.decision == "allow" and not trusted:
            states.append(state.model_copy(update={"active": False, "problem": WAITING}))
            waiting.append(rule)
        else:
            states.append(state)
    problem = known.fault or " ".join(f"{fault}." for fault in known.read.faults)
    return RuleFile(
        scope=scope,
        path=str(path),
        rules=tuple(states),
        problem=problem,
        waiting=tuple(waiting),
        sha256=known.read.sha256,
    )


def _place(rules: "AoT", rule_id: str) -> int:
    for index, table in enumerate(rules.body):
        raw = table.unwrap()
        if raw.get("id", derived_id(raw)) == rule_id:
            return index
    raise RuleError(f"There is no rule {rule_id} any more. Look at the list again.")


def _new_id(taken: set[str]) -> str:
    return next(made for size in count(2) if (made := f"r-{secrets.token_hex(size)}") not in taken)
