"""TerminalCards: approvals and questions of a run without a window, answered on the terminal."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from desktop.domain.commands import AnswerInput, Command
from desktop.domain.content import CodeBlock, DiffBlock, TextBlock
from desktop.domain.display import display_text
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.pending import Answer, ApprovalRequest, InputRequest, PlanReview, QuestionRequest
from desktop.domain.updates import Update


class TerminalCards:
    """Shows each open request on stderr, one after the other, and reads the answer from stdin."""

    def __init__(self, handle: Callable[[Command], Awaitable[None]], session_id: str) -> None:
        self._handle = handle
        self._session_id = session_id
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def take(self, update: Update) -> None:
        """Ask when an update is a request that blocks."""
        if isinstance(update, Envelope) and isinstance(update.event, InputRequested) and update.event.request.blocking:
            task = asyncio.get_running_loop().create_task(self._ask(update.event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _ask(self, requested: InputRequested) -> None:
        async with self._turn:
            answer = await asyncio.to_thread(_answer, requested.request)
            digest = requested.request.digest if isinstance(requested.request, ApprovalRequest) else ""
            command = AnswerInput(
                session_id=self._session_id, input_id=requested.input_id, answer=answer, digest=digest
            )
            await self._handle(command)


def _answer(request: InputRequest) -> Answer:
    if isinstance(request, QuestionRequest):
        return _questions(request)
    if isinstance(request, PlanReview):
        _show("Plan to review", request.plan)
        reply = _read("Approve the plan? [y]es, or say what to change: ")
        return Answer(outcome="allow_once") if reply.lower() in ("y", "yes") else Answer(outcome="reject", note=reply)
    return _approval(request)


def _approval(request: ApprovalRequest) -> Answer:
    evidence = "\n".join(
        block.unified if isinstance(block, DiffBlock) else block.text
        for block in request.card.blocks
        if isinstance(block, TextBlock | CodeBlock | DiffBlock)
    )
    _show(request.card.title, evidence)
    sys.stderr.write(f"{display_text(request.reason)}\n")
    offered = {offer.scope: offer.covers for offer in request.grants}
    choices = "[y]es once, [a]lways in this run, [n]o: " if "session" in offered else "[y]es once, [n]o: "
    reply = _read(choices).lower()
    if reply in ("y", "yes"):
        return Answer(outcome="allow_once")
    if reply in ("a", "always") and "session" in offered:
        return Answer(outcome="allow_always", scope="session")
    return Answer(outcome="reject")


def _questions(request: QuestionRequest) -> Answer:
    choices: dict[str, tuple[str, ...]] = {}
    for question in request.questions:
        lines = [f"  {number}. {option.label}" for number, option in enumerate(question.options, 1)]
        _show(question.text, "\n".join(lines))
        reply = _read("Your answer: ")
        picked = [part.strip() for part in reply.split(",")] if question.multi_select else [reply]
        values = tuple(
            question.options[int(part) - 1].value if part.isdigit() and 0 < int(part) <= len(question.options) else part
            for part in picked
            if part
        )
        if values:
            choices[question.id] = values
    return Answer(outcome="answered", choices=choices)


def _show(title: str, text: str) -> None:
    sys.stderr.write(f"\n{display_text(title)}\n{display_text(text, multiline=True)}\n")


def _read(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return sys.stdin.readline().strip()
