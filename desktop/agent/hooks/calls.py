"""CallHooks: hooks before a call, after it, and when a person is waited for (guests-H3, guests-H5, guests-H6)."""

import asyncio
import time
from collections.abc import Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.hooks.book import BoundHook
from desktop.agent.hooks.runner import MOST_TEXT, HookRunner, source_of
from desktop.domain.core.permissions import Category, Decision, RuleHit, Verdict
from desktop.domain.core.work import Activity
from desktop.domain.gate.action import canonical_json
from desktop.domain.gate.pending import InputRequest, input_title
from desktop.domain.hooks.values import HookDecision, HookMoment
from desktop.policy.call_facts import CallFacts
from desktop.policy.hooks.answers import HOOK, HookAnswer, answer_of, hook_hit, text_of
from desktop.policy.hooks.matching import is_about
from desktop.records import dataclass
from desktop.tools.untrusted import untrusted

BEFORE_ALL_S = 10.0
"""All hooks before one call together."""
AFTER_ALL_S = 60.0
_SAID: dict[str, HookDecision] = {"ask": "asked", "deny": "denied", "failed": "failed"}


@dataclass(frozen=True)
class HookedCall:
    """A judged call as hooks are told of it."""

    call_id: str
    arguments: Mapping[str, JsonValue]
    facts: CallFacts
    decision: Decision
    digest: str

    @property
    def command(self) -> str:
        """Its command line, "" for other tools."""
        return str(self.arguments.get("command", "")) if self.facts.command is not None else ""

    def told(self) -> dict[str, JsonValue]:
        """The call as it stands on a hook's standard input."""
        facts = self.facts
        return {
            "tool": facts.tool,
            "kind": facts.category.value,
            "arguments": dict(self.arguments),
            "paths": [{"path": path.rel, "op": path.op} for path in facts.paths],
            "command": self.command,
            "verdict": self.decision.verdict.name.lower(),
            "rule": self.decision.rule,
            "digest": self.digest,
        }


@dataclass(frozen=True)
class Ended:
    """How a call ended, as hooks after it are told."""

    outcome: str
    text: str
    exit_code: int | None = None
    touched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Before:
    """What hooks say of a call. `proposed`: other arguments, by the hook `by`."""

    hits: tuple[RuleHit, ...] = ()
    proposed: dict[str, JsonValue] | None = None
    by: str = ""


class CallHooks:
    """Engine thread; nothing of it takes time where no hook is configured."""

    def __init__(self, runner: HookRunner) -> None:
        self._runner = runner
        self._told: set[asyncio.Task[None]] = set()

    def concern(self, session: Session) -> bool:
        """Whether anything is to be asked before calls of this chat."""
        book = self._runner.book
        return bool(book.of(session, "before_call") or book.problem(session))

    def runs_at(self, session: Session, moment: HookMoment) -> bool:
        """Whether any hook of this chat runs at this moment, so that it is worth to tell of a call."""
        return bool(self._runner.book.of(session, moment))

    async def before(self, session: Session, call: HookedCall, deadline: float) -> Before:
        """Ask the hooks before a call, in order, until one denies or proposes other arguments."""
        hits: list[RuleHit] = []
        problem = self._runner.book.problem(session)
        if problem and call.facts.category is not Category.READ:
            hits.append(RuleHit(rule=HOOK, verdict=Verdict.ASK, reason=f"Your hooks cannot be used. {problem}."))
        for bound in self._about(session, "before_call", call):
            session.set_activity(Activity.RUNNING, f"hook {bound.hook.id}")
            end = await self._runner.run(session, bound, call.told(), deadline)
            answer = answer_of(end)
            proposed = _other(answer, call)
            said = _SAID.get(answer.decision) or ("changed" if proposed is not None else None)
            self._runner.ran(session, bound, end, said, answer.reason, call_id=call.call_id)
            hit = hook_hit(bound.hook.id, answer, end.duration_ms)
            hits += [hit] if hit is not None else []
            if hit is not None and hit.verdict is Verdict.DENY:
                break
            if proposed is not None:
                return Before(tuple(hits), proposed, bound.hook.id)
        return Before(tuple(hits))

    async def after(self, session: Session, call: HookedCall, ended: Ended, *, reads: bool) -> tuple[str, ...]:
        """Run the hooks after a call; their notes as the model gets them, marked as what they are. `reads`: the call
        changed nothing, so they may not either."""
        notes: list[str] = []
        deadline = time.monotonic() + AFTER_ALL_S
        more: dict[str, JsonValue] = {
            **call.told(),
            "outcome": ended.outcome,
            "exit_code": ended.exit_code,
            "touched": list(ended.touched),
            "text": ended.text.encode("utf-8", "replace")[:MOST_TEXT].decode("utf-8", "ignore"),
        }
        for bound in self._about(session, "after_call", call):
            session.set_activity(Activity.RUNNING, f"hook {bound.hook.id}")
            end = await self._runner.run(session, bound, more, deadline, reads=reads)
            note, problem = text_of(end, "note")
            said: HookDecision | None = "failed" if problem else "noted" if note else None
            self._runner.ran(session, bound, end, said, problem or note, call_id=call.call_id)
            if note:
                notes.append(untrusted(source_of(bound.hook), self._runner.clean(note)))
        return tuple(notes)

    def waiting(self, session: Session, request: InputRequest, call: HookedCall | None) -> None:
        """A person is waited for: tell the hooks that want to know; what they print does not matter."""
        for bound in self._runner.book.of(session, "on_card"):
            if call is not None and not self._is_about(session, bound, call):
                continue
            if call is None and bound.hook.match:
                continue
            more: dict[str, JsonValue] = {"title": input_title(request), **(call.told() if call is not None else {})}
            task = asyncio.create_task(self._tell(session, bound, more), name=f"hook {bound.hook.id}")
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    async def close(self) -> None:
        """End what is being told."""
        for task in self._told:
            task.cancel()
        if self._told:
            await asyncio.wait(self._told)

    async def _tell(self, session: Session, bound: BoundHook, more: Mapping[str, JsonValue]) -> None:
        end = await self._runner.run(session, bound, more, time.monotonic() + BEFORE_ALL_S)
        failed = end.problem or (f"it ended with status {end.exit_status}" if end.exit_status != 0 else "")
        self._runner.ran(session, bound, end, "failed" if failed else None, failed)

    def _about(self, session: Session, moment: HookMoment, call: HookedCall) -> list[BoundHook]:
        return [bound for bound in self._runner.book.of(session, moment) if self._is_about(session, bound, call)]

    def _is_about(self, session: Session, bound: BoundHook, call: HookedCall) -> bool:
        root = session.lane.worktree_path if session.lane is not None else ""
        return is_about(bound.hook, call.facts, text=call.command, lane_root=root)


def _other(answer: HookAnswer, call: HookedCall) -> dict[str, JsonValue] | None:
    """The arguments that a hook proposes, None where they are those of the call."""
    if answer.input is None or canonical_json({**call.arguments, **answer.input}) == canonical_json(
        dict(call.arguments)
    ):
        return None
    return {**call.arguments, **answer.input}
