"""The judgement over one command line: proven to read only or not, and what else is to be known of it (gate 6)."""

import logging
from collections.abc import Iterable, Sequence
from functools import lru_cache

from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits
from desktop.policy.shell.effects import runs_lane_code, writes_git
from desktop.policy.shell.read.folders import UNKNOWN, FolderTrack, entered
from desktop.policy.shell.read.programs.names import Names, names_through
from desktop.policy.shell.read.proof import Findings, Folders, Proof
from desktop.policy.shell.read.readonly import prove
from desktop.policy.shell.read.sql_clients import speaks_sql, sql_in_argv
from desktop.policy.shell.read.words import hosts_of, judged_values, judged_words
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import DenyHit, ShellVerdict, ShellWord, SimpleCommand, shell_word
from desktop.policy.shell.words.compound.unfold import unfold
from desktop.policy.shell.words.lexer import LexedCommand, NotInSubset, Redirect
from desktop.policy.shell.words.nested import all_within, lists_in
from desktop.policy.shell.words.parse import Unreadable, read_line
from desktop.policy.sql.verdict import SqlVerdict

logger = logging.getLogger(__name__)

MAX_FRAGMENT = 200
MAX_SQL_CALLS = 20
TOO_MUCH_SQL = SqlVerdict(proven_read=False, code="opaque", reason="It calls a database too often to judge every call.")
NULL = "/dev/null"
LANE_ROOT: Folders = frozenset({"."})
SqlCall = tuple[tuple[str, ...], bool]
"""An argument list, and whether something is fed to its standard input."""


def assess_shell(command: str, world: ShellWorld, *, cwd: str = ".", given: tuple[str, ...] = ()) -> ShellVerdict:
    """The verdict over the exact text that bash would get in the folder `cwd` of the lane; `given`: the variables with
    secrets for this command, each use of which is a person's to allow. Never raises: what goes wrong is a line that is
    not proven, with code `internal`."""
    deny = _hits_in(command, cwd, (world.home, world.lane, world.own_folders), given)
    try:
        return _assess(command, world, cwd, deny)
    except Exception as e:  # whatever fails here must not let a command through (gate-G1)
        logger.exception("a command could not be judged")
        return ShellVerdict(code="internal", reason=f"Banksman failed to judge it ({type(e).__name__}).", deny=deny)


@lru_cache(maxsize=64)
def _hits_in(
    command: str, cwd: str, around: tuple[str, str, tuple[str, ...]], given: tuple[str, ...]
) -> tuple[DenyHit, ...]:
    """They follow from the text alone, and a call is judged twice."""
    home, lane, own_folders = around
    return deny_hits(command, DenyPlaces(home=home, lane=lane, own_folders=own_folders, cwd=cwd, given=given))


def _assess(command: str, world: ShellWorld, cwd: str, deny: tuple[DenyHit, ...]) -> ShellVerdict:
    try:
        commands = _commands_in(command)
    except Unreadable as e:
        found = _unfolded(command, world, cwd, deny) if e.code == "unmodelled" else None
        return found or _unreadable(command, e, deny)
    if not commands:
        return ShellVerdict(code="empty", reason="It holds no command.", deny=deny)
    if any(one.assigned for one in commands) and (found := _unfolded(command, world, cwd, deny)):
        return found
    return _Line(command, commands, Findings(world), cwd).verdict(deny)


@lru_cache(maxsize=64)
def _commands_in(command: str) -> tuple[LexedCommand, ...]:
    """They too follow from the text alone; nobody changes them."""
    return tuple(read_line(command))


def _unfolded(command: str, world: ShellWorld, cwd: str, deny: tuple[DenyHit, ...]) -> ShellVerdict | None:
    """The verdict over a line with loops, conditions or variables of which every command is proven to read, None over
    every other one: rules do not speak of them."""
    try:
        commands = unfold(command)
    except NotInSubset:
        return None
    verdict = _Line(command, commands, Findings(world), cwd).verdict(deny)
    return verdict.model_copy(update={"coverable": False}) if verdict.proven_read else None


def _unreadable(command: str, error: Unreadable, deny: tuple[DenyHit, ...]) -> ShellVerdict:
    """What can be said of a line that is outside the subset."""
    named = lists_in(command)
    lists = all_within(named)
    return ShellVerdict(
        code=error.code,
        reason=error.reason,
        fragment=error.fragment[:MAX_FRAGMENT],
        hosts=hosts_of(named),
        git_writes=any(writes_git(argv) for argv in lists),
        runs_lane_code=any(runs_lane_code(argv) for argv in lists),
        sql=_sql((argv, True) for argv in lists if speaks_sql(argv)),
        deny=deny,
    )


def _sql(calls: Iterable[SqlCall]) -> tuple[SqlVerdict, ...]:
    """The verdicts over all SQL that these argument lists carry, each once."""
    found: dict[SqlVerdict, None] = {}
    judged = 0
    for argv, fed in dict.fromkeys(calls):
        verdicts = sql_in_argv(argv, stdin=fed)
        found.update(dict.fromkeys(verdicts))
        judged += bool(verdicts)
        if judged >= MAX_SQL_CALLS:
            found[TOO_MUCH_SQL] = None
            break
    return tuple(found)


class _Line:
    """One line inside the subset."""

    def __init__(self, text: str, commands: Sequence[LexedCommand], findings: Findings, cwd: str) -> None:
        self._text = text
        self._commands = commands
        self._findings = findings
        self._start = LANE_ROOT if cwd == "." else entered(Proof(findings, LANE_ROOT), cwd)
        self._coverable = True
        self._problem: tuple[str, str, str] | None = None
        self._git_writes = self._lane_code = False
        self._sql_calls: list[SqlCall] = []

    def verdict(self, deny: tuple[DenyHit, ...]) -> ShellVerdict:
        """Judges every command in turn."""
        simple = self._judge_all()
        code, reason, fragment = self._problem or ("proven_read", "", "")
        proven = self._problem is None
        return ShellVerdict(
            proven_read=proven,
            coverable=self._coverable,
            code=code,
            reason=reason,
            fragment=fragment[:MAX_FRAGMENT],
            simple=simple,
            paths=tuple(self._findings.paths.values()),
            hosts=() if proven else hosts_of([command.spelled for command in simple]),
            git_reads=self._findings.git_reads,
            git_writes=self._git_writes,
            runs_lane_code=self._lane_code,
            sql=_sql(self._sql_calls),
            deny=deny,
        )

    def _judge_all(self) -> tuple[SimpleCommand, ...]:
        if len(self._commands) == 1:
            proof = Proof(self._findings, self._start)
            self._prove(proof, self._commands[0], piped=False)
            return (self._judged(proof, self._commands[0], self._start),)
        track = FolderTrack(self._start)
        judged: list[SimpleCommand] = []
        names: Names | None = None
        for at, command in enumerate(self._commands):
            following = self._commands[at + 1].operator if at + 1 < len(self._commands) else ""
            folders = track.before(command.operator)
            proof = Proof(self._findings, folders)
            end = self._prove(proof, command, piped="|" in (command.operator, following), names=names)
            names = _names(command, names) if following == "|" else None
            track.after(command.operator, folders, end)
            judged.append(self._judged(proof, command, folders))
        return tuple(judged)

    def _prove(self, proof: Proof, command: LexedCommand, *, piped: bool, names: Names | None = None) -> Folders | None:
        """Judges one command; where a `cd` led, None for every other one."""
        words = command.words
        end: Folders | None = None
        if not words:
            proof.fail("redirect", "A redirect stands alone.")
        elif words[0].text == "cd":
            end = UNKNOWN
            if len(words) != 2 or words[1].pattern:
                proof.fail("cd", "cd is proven with one plain folder only.")
            elif piped:
                proof.fail("cd", "This cd stands in a pipeline.")
            else:
                end = entered(proof, words[1].text)
        else:
            prove(proof, words, names)
        if command.assigned:
            proof.fail("assignment", "It sets a variable.", command.assigned[0].text)
            end = None if end is None else UNKNOWN
        return end

    def _judged(self, proof: Proof, command: LexedCommand, folders: Folders) -> SimpleCommand:
        harmless = all([_is_harmless(proof, redirect) for redirect in command.redirects])
        coverable = harmless and bool(command.words)
        if not harmless:
            proof.fail(
                "redirect", "It writes to a file or reads from an unusual place.", _redirected(command.redirects)
            )
        self._coverable = self._coverable and coverable
        self._problem = self._problem or proof.problem
        proven = proof.problem is None
        start, end = command.span
        words: tuple[ShellWord, ...]
        assigned: tuple[ShellWord, ...] = ()
        if proven:
            words = tuple([shell_word(word.text, special=bool(word.pattern)) for word in command.words])
        else:
            words = judged_words(command.words, folders, self._findings)
            assigned = judged_values(command.assigned, folders, self._findings)
            self._look_behind(command)
        return SimpleCommand(
            words=words,
            start=start,
            end=end,
            proven=proven,
            coverable=coverable,
            reason=proof.problem[1] if proof.problem else "",
            moved=folders != LANE_ROOT,
            assigned=assigned,
            redirect="" if harmless else _redirected(command.redirects),
        )

    def _look_behind(self, command: LexedCommand) -> None:
        argv = tuple([word.text for word in command.words])
        if not argv:
            return
        for inner in all_within([argv]):
            self._git_writes = self._git_writes or writes_git(inner)
            self._lane_code = self._lane_code or runs_lane_code(inner)
            if speaks_sql(inner):
                fed = command.operator == "|" or any(redirect.operator == "<" for redirect in command.redirects)
                self._sql_calls.append((inner, fed))


def _names(command: LexedCommand, before: Names | None) -> Names | None:
    """The names of files that a command hands on, where what it prints is nothing else."""
    if any(word.pattern for word in command.words) or any(found.operator != ">" for found in command.redirects):
        return None
    if any(redirect.fd != "2" for redirect in command.redirects) or not command.words:
        return None
    return names_through([word.text for word in command.words], before, piped=command.operator == "|")


def _redirected(redirects: Sequence[Redirect]) -> str:
    return " ".join(f"{redirect.fd}{redirect.operator}{redirect.target.text}" for redirect in redirects)


def _is_harmless(proof: Proof, redirect: Redirect) -> bool:
    """The redirects that leave a command a read, in every way of writing them (gate-S8)."""
    target, fd = redirect.target.text, redirect.fd
    if redirect.target.pattern:
        return False
    if redirect.operator == "<":
        if fd not in ("", "0"):
            return False
        reading = Proof(proof.findings, proof.folders)
        facts = reading.path(target)
        return reading.problem is None and all(found.kind in ("file", "missing") for found in facts)
    if redirect.operator == ">&" and target in ("1", "2"):
        return fd in ("", "1", "2")
    return target == NULL and fd in ("", "1", "2") and (redirect.operator in (">", ">>") or not fd)
