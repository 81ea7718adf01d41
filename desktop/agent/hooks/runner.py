"""HookRunner: runs hooks of a chat one after the other, with what they are told, and records what came of it."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.hooks.book import BoundHook, HookBook, switch_name
from desktop.agent.hooks.past import PastRuns
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.redaction import Redactor
from desktop.domain.hooks.events import HookRan, HooksPassed
from desktop.domain.hooks.updates import PastRun
from desktop.domain.hooks.values import Hook, HookDecision
from desktop.policy.hooks.answers import HookEnd, first_line
from desktop.records import dataclass
from desktop.services.hooks.file import HookFault
from desktop.services.hooks.running import HookRun, HookRuns

VERSION = 1
MOST_TEXT = 64 * 1024
_ALWAYS_READS = frozenset({"before_call", "on_card"})
_HEARD = frozenset({"before_call", "after_call", "on_stop"})
"""The moments at which a model may get words of a hook."""
NO_TIME = "the hooks before it took all the time there was"


@dataclass
class _Passes:
    runs: Counter[str] = field(default_factory=Counter)
    duration_ms: int = 0


class HookRunner:
    """Engine thread. `past`: the last runs of each hook."""

    def __init__(self, book: HookBook, runs: HookRuns, redactor: Callable[[], Redactor], past: PastRuns) -> None:
        self.book = book
        self.past = past
        self._runs = runs
        self._redactor = redactor
        self._passes: dict[str, _Passes] = {}

    async def run(
        self, session: Session, bound: BoundHook, more: Mapping[str, JsonValue], deadline: float, *, reads: bool = False
    ) -> HookEnd:
        """Run one hook, at most until `deadline` (of `time.monotonic`). `more`: what it is told beside what every hook
        is told. `reads`: it may not write the lane, as in Plan and where nothing else would change it either."""
        hook = bound.hook
        lane = session.lane
        left = min(hook.timeout_s, deadline - time.monotonic())
        if lane is None or session.files is None:
            return HookEnd(None, "", problem="the chat has no lane")
        if left <= 0:
            return HookEnd(None, "", problem=NO_TIME)
        told = {**_standing(session, bound), **more}
        given = json.dumps(self._clean(told), ensure_ascii=False).encode("utf-8", "replace")
        copies, file = self.book.copies, bound.file
        try:
            line = await asyncio.to_thread(copies.line, hook, file.sha256, file.contents, session.files.root)
        except OSError as error:
            return HookEnd(None, "", problem=f"what it runs cannot be copied: {error.strerror or error}")
        except HookFault as fault:
            return HookEnd(None, "", problem=str(fault))
        reading = reads or hook.on in _ALWAYS_READS or session.mode is PermissionMode.PLAN
        run = HookRun(
            line=line,
            given=given,
            timeout_s=left,
            reading=reading,
            shown=copies.place(file.sha256),
            hook=hook.id,
            hosts=hook.network,
            owner=session.session_id,
        )
        return await self._runs.run(session.files.root, run)

    def ran(
        self, session: Session, bound: BoundHook, end: HookEnd, decision: HookDecision | None, reason: str = "",
        *, call_id: str = "",
    ) -> None:  # fmt: skip
        """Record what came of a run: an event where it had a say (`decision`), else it is counted for the turn."""
        hook = bound.hook
        name = switch_name(bound.scope, session.state.project_id, hook.id)
        self.past.add(name, PastRun(at=session.now(), decision=decision, duration_ms=end.duration_ms))
        if decision is None:
            passes = self._passes.setdefault(session.session_id, _Passes())
            passes.runs[hook.id] += 1
            passes.duration_ms += end.duration_ms
            return
        source = source_of(hook)
        if hook.network and hook.on in _HEARD and source not in session.state.tainted:
            session.record(SessionTainted(reason="untrusted", source=source, call_id=call_id), lazy=True)
        clean = self._redactor().redact
        session.record(
            HookRan(
                hook=hook.id,
                scope=bound.scope,
                event=hook.on,
                call_id=call_id,
                decision=decision,
                reason=clean(reason).text,
                exit_status=end.exit_status,
                duration_ms=end.duration_ms,
                stderr=clean(first_line(end.errors)).text,
            ),
            lazy=True,
        )

    def passed(self, session: Session, turn_id: str) -> tuple[HooksPassed, ...]:
        """What is recorded at the end of a turn of runs that had nothing to say."""
        self.past.keep()
        passes = self._passes.pop(session.session_id, None)
        if passes is None:
            return ()
        return (HooksPassed(turn_id=turn_id, passes=dict(passes.runs), duration_ms=passes.duration_ms),)

    def clean(self, text: str) -> str:
        """The text without secrets."""
        return self._redactor().redact(text).text

    def _clean(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list | tuple):
            return [self._clean(one) for one in value]
        return {key: self._clean(one) for key, one in value.items()} if isinstance(value, dict) else value


def source_of(hook: Hook) -> str:
    """How the words of a hook are marked."""
    return f"hook:{hook.id}"


def _standing(session: Session, bound: BoundHook) -> dict[str, JsonValue]:
    """What every hook is told."""
    turn, lane = session.state.turn, session.lane
    return {
        "version": VERSION,
        "event": bound.hook.on,
        "session_id": session.session_id,
        "turn_id": turn.turn_id if turn is not None else "",
        "mode": session.mode.value,
        "driver": "banksman",
        "lane": lane.name if lane is not None else "",
    }
