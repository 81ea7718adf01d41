"""RestartCommands: what a person says after a restart: answers to closed questions, and calls nobody saw end."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.last_calls import RUN_AGAIN, last_calls
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.commands import GateCommands
from desktop.agent.gate.inputs import checked_late
from desktop.agent.turns.commands import TurnCommands
from desktop.domain import commands as c
from desktop.domain.chats.commands import ResolveUnknownCall
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Event, ModeChanged, Notice, ToolCallFinished, UserMessage
from desktop.domain.gate.pending import SECRET_GIVEN, Answer, PlanReview, QuestionRequest
from desktop.domain.history.state import OpenInput

CLOSED = "Closed by a restart. The answers follow as a message."
TOOK_EFFECT = "The user confirmed that this call took effect."
NOT_PASSED_ON = "(secret: it cannot be passed on after a restart; ask again)"
FULL_AUTO_APART = "After a restart full auto is switched on in its own dialog. Approve the plan for another mode."


class RestartCommands:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, turns: TurnCommands, gate: GateCommands) -> None:
        self._sessions = sessions
        self._turns = turns
        self._gate = gate

    def handlers(self) -> dict[type[Command], Handler]:
        """Answers of every kind, those that came in time too, and what is said of a call."""
        return {c.AnswerInput: self._answer, ResolveUnknownCall: self._resolve}

    async def _answer(self, command: c.AnswerInput) -> None:
        session = self._sessions.get(command.session_id)
        closed = session.state.late_inputs.get(command.input_id)
        if closed is None:
            await self._gate.answer(command)
            return
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        answer = checked_late(closed.request, command.answer)
        finished = ToolCallFinished(call_id=closed.call_id, outcome="cancelled", content=CLOSED, is_error=True)
        first: list[Event] = [] if session.is_finished(closed.call_id) else [finished]
        if isinstance(closed.request, PlanReview):
            first += _mode_after(session, closed.request, answer)
        message = UserMessage(parts=({"type": "text", "text": quoted(closed, answer)},), origin="person")
        await self._turns.go_on(session, *first, say=(message,))

    async def _resolve(self, command: ResolveUnknownCall) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        calls = last_calls(session.log)
        use = next((use for use in calls.unknown if use.id == command.call_id), None)
        if use is None:
            raise CommandError("not_unknown", "The outcome of this call is known, or it is no longer asked for.")
        if command.how == "took_effect":
            session.append(ToolCallFinished(call_id=use.id, outcome="ok", content=TOOK_EFFECT))
            return
        if calls.passed:
            raise CommandError("passed", "The chat went on after this call. Ask the agent to make it again.")
        if use.id not in calls.again:
            text = f"{use.name} is judged and run again when the turn goes on."
            session.append(Notice(kind=RUN_AGAIN, text=text, detail=use.id))


def quoted(closed: OpenInput, answer: Answer) -> str:
    """The answer as a message that says what was asked."""
    request, remark = closed.request, answer.note.strip()
    more = f"\n\n{remark}" if remark else ""
    if isinstance(request, PlanReview):
        plan = answer.edited_plan or ""
        if answer.outcome == "reject":
            return f"About the plan you presented: I do not approve it.{more}"
        changed = f" I changed it. It is now:\n\n{plan}" if plan and plan != request.plan else ""
        return f"About the plan you presented: I approve it.{changed}{more}"
    if not isinstance(request, QuestionRequest):
        return remark
    if answer.outcome == "reject":
        asked = "\n".join(_quote(question.text) for question in request.questions)
        return f"You asked before Banksman closed:\n\n{asked}\n\nI do not want to answer this.{more}"
    lines = []
    for question in request.questions:
        values = [NOT_PASSED_ON if v == SECRET_GIVEN else v for v in answer.choices.get(question.id, ())]
        lines.append(f"{_quote(question.text)}\n{', '.join(values) or '(no answer)'}")
    return "You asked before Banksman closed:\n\n" + "\n\n".join(lines) + more


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _mode_after(session: Session, request: PlanReview, answer: Answer) -> list[Event]:
    """An approved plan changes the mode, as it would have before the restart; never to full auto."""
    mode = answer.mode or request.mode_after
    if answer.outcome == "reject" or session.state.mode is not PermissionMode.PLAN:
        return []
    if mode is PermissionMode.FULL_AUTO:
        raise CommandError("wrong_kind", FULL_AUTO_APART)
    return [ModeChanged(mode=mode, previous=session.state.mode, by="plan_approval")]
