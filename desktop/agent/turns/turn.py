"""Turn: what one turn has come to so far, as the loop, its limits and its commands share it. Engine thread only."""

import time
from dataclasses import field
from typing import Literal

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.domain.chats.queue_events import QueuePause
from desktop.domain.children.events import ChildEnded
from desktop.domain.core.ids import new_id
from desktop.domain.core.usage import Usage, add_usage
from desktop.domain.events import AssistantMessage, Envelope, ProviderFailed, TurnStatus
from desktop.domain.guests.events import GuestClaimed, GuestCounted
from desktop.domain.history.state_of import message_text
from desktop.domain.mcp.events import McpSampled
from desktop.records import dataclass

TurnKind = Literal["prompt", "queued", "continue"]
_PAUSES: dict[TurnStatus, QueuePause] = {"interrupted": "stop", "failed": "failed", "limit": "limit", "loop": "loop"}


@dataclass
class Turn:
    """One turn. `status` is None until it is known how it ends.

    `passes`: how often the model came to an end of its own, or went on after a reminder; `has_text`: the pass that runs
    has said something. `in_step`: a request or its calls are under way. `send_now`: the id of a waiting message that is
    handed over before the next request; if a step is under way, it is stopped for it. `stop_after_step`: nothing more
    is begun. `cost_before`, `day_before`: what the chat, and all chats today, had spent when it began. `counted`: how
    much of the log its sums hold. `shortened`: the conversation was shortened because it did not fit. `files_changed`:
    as its end tells it. `has_slot`: it counts among those that run; `lent_slot`: it has lent its place while its calls
    wait for `waits_for` children.
    """

    kind: TurnKind = "prompt"
    turn_id: str = field(default_factory=lambda: new_id("trn_"))
    began: float = field(default_factory=time.monotonic)
    steps: int = 0
    passes: int = 1
    usage: Usage = field(default_factory=Usage)
    cost_microusd: int | None = 0
    output_limits: int = 0
    empty_answers: int = 0
    has_text: bool = False
    followed_up: bool = False
    status: TurnStatus | None = None
    reason: str = ""
    detail: str = ""
    in_step: bool = False
    stop_asked: bool = False
    stop_after_step: bool = False
    send_now: str = ""
    has_slot: bool = False
    lent_slot: bool = False
    waits_for: int = 0
    ended: bool = False
    cost_before: int = 0
    day_before: int = 0
    warned: bool = False
    alarmed: bool = False
    shortened: bool = False
    counted: int = 0
    claimed: int = 0
    claimed_context: int = 0
    files_changed: int | None = None

    def count(self, log: list[Envelope]) -> None:
        """Add what the answers and failed attempts since the last time used (sessions-SK1); a summary adds itself."""
        for envelope in log[self.counted :]:
            event = envelope.event
            sampled = isinstance(event, McpSampled) and event.usage != Usage()
            if isinstance(event, ChildEnded | GuestCounted) or (isinstance(event, McpSampled) and sampled):
                self._add(event.usage, event.cost_microusd)
            if isinstance(event, GuestClaimed):
                self.claimed += event.usage.total_input + (event.usage.output or 0)
            failed = isinstance(event, ProviderFailed) and event.usage != Usage()
            if isinstance(event, AssistantMessage | ProviderFailed) and (failed or isinstance(event, AssistantMessage)):
                self._add(event.usage, event.cost_microusd)
                self.has_text = self.has_text or _says_something(event)
        self.counted = len(log)

    @property
    def claimed_tokens(self) -> int:
        """What an agent of others claims to have used at least: what it told at the end of prompts, or how full it says
        that its context is now."""
        return max(self.claimed, self.claimed_context)

    def _add(self, usage: Usage, cost: int | None) -> None:
        known = self.cost_microusd is not None and cost is not None
        self.usage = add_usage(self.usage, usage)
        self.cost_microusd = (self.cost_microusd or 0) + (cost or 0) if known else None

    def next_pass(self) -> None:
        """The model goes on after it had come to an end."""
        self.passes += 1
        self.has_text, self.empty_answers = False, 0

    @property
    def pause(self) -> QueuePause | None:
        """Why what waits is not delivered after this turn, None: it begins the next one (sessions-SQ6)."""
        if self.status is None or self.status == "completed":
            return "stop" if self.stop_after_step else None
        return "restart" if self.reason == "quit" else _PAUSES[self.status]


def _says_something(event: AssistantMessage | ProviderFailed) -> bool:
    return isinstance(event, AssistantMessage) and bool(message_text(event).strip())


def stopped(session: Session, turn: Turn) -> None:
    """The turn ends because somebody stopped it, which the model is told, or because the app is closed."""
    turn.status, turn.reason = "interrupted", turn.reason or "stop"
    if turn.reason == "quit":
        turn.detail = "Banksman was closed while this turn was running."
    else:
        record_stop(session, turn)


def record_stop(session: Session, turn: Turn) -> None:
    """Tell the model that the person stopped this turn, and what was done in it."""
    finished, cut_off = session.titles_of("ok"), session.titles_of("interrupted")
    done = f" Done so far: {'; '.join(finished[:20])}." if finished else ""
    done += f" Cut off in the middle: {'; '.join(cut_off[:20])}. What was done by then stays." if cut_off else ""
    done = done or " Nothing was done so far."
    text = f"The user stopped this turn. Do not go on with its task unless asked.{done}"
    session.record(note("stopped", text, turn.turn_id))
