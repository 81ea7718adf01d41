"""The deny matcher (gate-D1 to gate-D6): commands that are refused in every mode, and those that need a
confirm word."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces
from desktop.policy.shell.deny.classes import back as deny_back
from desktop.policy.shell.deny.classes import confirm as deny_confirm
from desktop.policy.shell.deny.classes import git as deny_git
from desktop.policy.shell.deny.classes import root as deny_root
from desktop.policy.shell.deny.classes import system as deny_system
from desktop.policy.shell.deny.classes.back import back_hits, fifo_hits
from desktop.policy.shell.deny.classes.code import code_hits
from desktop.policy.shell.deny.classes.confirm import confirm_hits, is_told_by_line
from desktop.policy.shell.deny.classes.disk import disk_hits, may_format
from desktop.policy.shell.deny.classes.git import history_hits
from desktop.policy.shell.deny.classes.leak import leak_hits
from desktop.policy.shell.deny.classes.root import root_hits
from desktop.policy.shell.deny.classes.system import guard_line_hits, only_reads, system_hits
from desktop.policy.shell.deny.classes.tables import JUDGED
from desktop.policy.shell.deny.classes.writes import writes_by_itself
from desktop.policy.shell.deny.plain import plain_calls, plain_commands
from desktop.policy.shell.deny.quick import call_is_quiet, plainly_harmless
from desktop.policy.shell.deny.raw import normalised, raw_calls, raw_hits
from desktop.policy.shell.deny.reader.walk import Walk, followed
from desktop.policy.shell.verdict import DenyHit

__all__ = ["DenyPlaces", "deny_hits", "found_hits"]

Judge = Callable[[Call, DenyPlaces], list[DenyHit]]
Code = tuple[str, str, Call]
"""The language of an interpreter, the code that it is given, and the call."""

MAX_COMMAND = 110_000
MAX_INNER = 4_096
MAX_UNCLEAN = 4
MAX_EFFORT = 1_700
CALL_EFFORT = 12
ANY_EFFORT = 60
WORD_CHARS = 100
_AS_ANY = (ANY, "rm", "chmod", "kill", "mv", "dd", "tee", "find", "git")
_COSTLY = frozenset([*JUDGED, ANY])
_FAILED = DenyHit(
    id="D-error",
    severity="forbid",
    reason="The check of this command failed, so it is refused. Run it yourself in a terminal, or write it simply.",
)
_TOO_MUCH = _FAILED.model_copy(update={"reason": "There is more in this command than can be checked. Split it up."})


def deny_hits(command: str, places: DenyPlaces) -> tuple[DenyHit, ...]:
    """The classes that a command falls into, forbidding ones first, each once; () when it falls into none. Any text is
    taken; a failure inside is a forbidding hit `D-error`, never an exception."""
    return found_hits(command, places, look_first=True)


def found_hits(command: str, places: DenyPlaces, *, look_first: bool = False) -> tuple[DenyHit, ...]:
    """The hits of a command, found by the whole matcher unless `look_first` finds the line plainly harmless before."""
    try:
        if len(command) > MAX_COMMAND:
            return (_TOO_MUCH,)
        commands = plain_commands(command) if look_first else None
        if commands is not None and plainly_harmless(commands, places):
            return ()
        calls = plain_calls(commands, places) if commands is not None else None
        return _ordered(_hits(command, places) if calls is None else _of_calls(calls, [], places, _Effort()))
    except OverflowError:
        return (_TOO_MUCH,)
    except Exception:  # noqa: BLE001 - fails closed: whatever went wrong, the command is refused
        return (_FAILED.model_copy(update={"fragment": command[:200]}),)


def _hits(command: str, places: DenyPlaces) -> list[DenyHit]:
    walk: Walk = followed(command, places)
    hits = list(walk.hits)
    effort = _Effort()
    hits += _of_calls(_distinct(walk.calls), walk.codes, places, effort)
    if walk.unclean:
        inner = [text for text in walk.unclean[:MAX_UNCLEAN] if len(text) < MAX_INNER]
        for text in dict.fromkeys([command, *inner]):
            plain = normalised(text)
            hits += raw_hits(plain)
            for call in raw_calls(plain, places):
                effort.spend(call)
                hits += _of_call(call, places)
    return hits


def _of_calls(calls: list[Call], codes: list[Code], places: DenyPlaces, effort: "_Effort") -> list[DenyHit]:
    hits: list[DenyHit] = []
    for call in calls:
        if not call_is_quiet(call, places):
            effort.spend(call)
            hits += _of_call(call, places)
    for language, code, call in codes:
        hits += code_hits(language, code, call, places)
    return hits + leak_hits(calls, codes, places) + fifo_hits(calls) + guard_line_hits(calls)


class _Effort:
    """Counts what is looked at, in words, so that no text takes longer than it may."""

    def __init__(self) -> None:
        self._spent = 0

    def spend(self, call: Call) -> None:
        """Count a call that is about to be judged.

        Raises:
            OverflowError: more than can be judged in time.
        """
        words = len(call.argv) + len(call.writes) + len(call.assigned) + sum(map(len, call.argv)) // WORD_CHARS
        self._spent += CALL_EFFORT if call.program in _COSTLY else CALL_EFFORT // 2
        self._spent += ANY_EFFORT if call.program == ANY else 0
        self._spent += words * (len(_AS_ANY) if call.program == ANY else 1)
        if self._spent > MAX_EFFORT:
            raise OverflowError


def _of_call(call: Call, places: DenyPlaces) -> list[DenyHit]:
    hits: list[DenyHit] = []
    touches = bool(call.writes or call.reads or call.assigned)
    for name in _AS_ANY if call.program == ANY else (call.program,):
        judged = replace(call, program=name) if name != call.program else call
        for judge in _judges(name, touches):
            hits += judge(judged, places)
    return hits


@lru_cache(maxsize=512)
def _judges(program: str, touches: bool) -> tuple[Judge, ...]:
    """The judgements that may say something of a program. `touches`: the call redirects or assigns something."""
    writes = touches or writes_by_itself(program)
    told = program == ANY or program in deny_confirm.PROGRAMS or is_told_by_line(program)
    asked = (
        (root_hits, program in deny_root.PROGRAMS),
        (disk_hits, writes or may_format(program)),
        (system_hits, writes or program in deny_system.PROGRAMS or not only_reads(program)),
        (back_hits, touches or program in deny_back.PROGRAMS),
        (history_hits, program in deny_git.PROGRAMS),
        (confirm_hits, told),
    )
    return tuple(judge for judge, may_speak in asked if may_speak)


def _distinct(calls: list[Call]) -> list[Call]:
    if len(calls) < 2:
        return calls
    seen: dict[object, Call] = {}
    for call in calls:
        key = (
            call.program,
            tuple(call.argv),
            call.folder,
            tuple(call.writes),
            tuple(call.reads),
            tuple(call.assigned),
            call.marks,
        )
        seen.setdefault(key, call)
    return list(seen.values())


def _ordered(hits: list[DenyHit]) -> tuple[DenyHit, ...]:
    firsts: dict[tuple[str, str], DenyHit] = {}
    for hit in hits:
        firsts.setdefault((hit.id, hit.severity), hit)
    return tuple(sorted(firsts.values(), key=lambda hit: hit.severity != "forbid"))
