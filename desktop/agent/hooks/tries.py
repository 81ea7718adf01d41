"""HookTries: a hook run on a call of the past because a person wants to see what it says; nothing follows from it."""

import time
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.hooks.book import BoundHook
from desktop.agent.hooks.calls import HookedCall
from desktop.agent.hooks.runner import HookRunner
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import Decision
from desktop.domain.events import ToolCallDecided
from desktop.policy.call_facts import CallFacts
from desktop.policy.hooks.answers import HookEnd, answer_of, text_of
from desktop.policy.hooks.matching import is_about

MOST_LOOKED_AT = 2_000
"""How many events of each chat are looked at for a call, newest first."""
_WITH_REASON_TOLD: Mapping[str, str] = {
    "pass": "It lets the call pass: {reason} ({took}).",
    "pass_changed": "It lets the call pass and proposes other arguments: {reason} ({took}).",
    "ask": "It asks: {reason} ({took}).",
    "ask_changed": "It asks and proposes other arguments: {reason} ({took}).",
    "deny": "It denies: {reason} ({took}).",
    "failed": "It fails: {reason} ({took}).",
    "says": "It says: {reason} ({took}).",
}
_WITHOUT_TOLD: Mapping[str, str] = {
    "pass": "It lets the call pass ({took}).",
    "pass_changed": "It lets the call pass and proposes other arguments ({took}).",
    "ask": "It asks ({took}).",
    "ask_changed": "It asks and proposes other arguments ({took}).",
    "deny": "It denies ({took}).",
    "says": "It says nothing ({took}).",
}


class HookTries:
    """Engine thread. The hook cannot write the lane, and what it says is shown and forgotten."""

    def __init__(self, runner: HookRunner) -> None:
        self._runner = runner

    async def tried(self, bound: BoundHook, sessions: Iterable[Session]) -> tuple[str, str]:
        """What the hook says, and the call that it was asked about, in words.

        Raises:
            CommandError: no open chat has a call that it is about.
        """
        for session in sessions:
            if session.files is None:
                continue
            if bound.hook.on in ("on_stop", "on_turn_start"):
                return _words(bound, await self._run(session, bound, None)), ""
            call = _newest(session, bound)
            if call is not None:
                title = call.command or f"{call.facts.tool} {', '.join(path.rel for path in call.facts.paths)}"
                return _words(bound, await self._run(session, bound, call)), title.strip()
        raise CommandError("no_call", "No open chat has a call that this hook is about. Open one that has.")

    async def _run(self, session: Session, bound: BoundHook, call: HookedCall | None) -> HookEnd:
        more: dict[str, JsonValue] = call.told() if call is not None else {}
        if bound.hook.on == "after_call":
            more |= {"outcome": "ok", "exit_code": None, "touched": [], "text": ""}
        deadline = time.monotonic() + bound.hook.timeout_s
        return await self._runner.run(session, bound, more, deadline, reads=True)


def _newest(session: Session, bound: BoundHook) -> HookedCall | None:
    root = session.lane.worktree_path if session.lane is not None else ""
    for envelope in session.log[-MOST_LOOKED_AT:][::-1]:
        event = envelope.event
        if isinstance(event, ToolCallDecided) and event.facts and isinstance(event.input, dict):
            facts = CallFacts.model_validate(event.facts["call"])
            decision = Decision(verdict=event.verdict, rule=event.rule, reason=event.reason)
            call = HookedCall(event.call_id, event.input, facts, decision, event.digest)
            if is_about(bound.hook, facts, text=call.command, lane_root=root):
                return call
    return None


def _words(bound: BoundHook, end: HookEnd) -> str:
    took = f"{end.duration_ms:,} ms"
    if bound.hook.on == "before_call":
        answer = answer_of(end)
        changed = "_changed" if answer.input is not None else ""
        return _told(f"{answer.decision}{changed}", answer.reason, took)
    if bound.hook.on in ("after_call", "on_stop"):
        text, problem = text_of(end, "note" if bound.hook.on == "after_call" else "continue")
        return _told("failed" if problem else "says", problem or text, took)
    return _told("failed", end.problem, took) if end.problem else f"It ended with status {end.exit_status} ({took})."


def _told(what: str, reason: str, took: str) -> str:
    return (_WITH_REASON_TOLD if reason else _WITHOUT_TOLD)[what].format(reason=reason, took=took)
