"""TerminalCards: approvals and questions of a run without a window, answered on the terminal."""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from desktop.domain.commands import AnswerInput
from desktop.domain.core.command import Command
from desktop.domain.core.content import CodeBlock, DiffBlock, TextBlock
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    InputRequest,
    PlanReview,
    Question,
    QuestionRequest,
    cannot_be_shown,
)

if sys.platform != "win32":
    import termios

LINE_BYTES = 65_536


class TerminalCards:
    """Shows each open request on stderr, one after the other, and reads the answer from stdin. `handle` carries out
    commands of a person; `before` is called before anything is shown."""

    def __init__(self, handle: Callable[[Command], Awaitable[None]], before: Callable[[], None]) -> None:
        self._handle = handle
        self._before = before
        self._tasks: set[asyncio.Task[None]] = set()
        self._revised: dict[str, ApprovalRequest] = {}
        self._turn = asyncio.Lock()

    def take(self, update: Update) -> None:
        """Ask when an update is a request that blocks; ask again when it changed while it was on screen."""
        if not isinstance(update, Envelope):
            return
        event = update.event
        if isinstance(event, InputRevised):
            self._revised[event.input_id] = event.request
        elif isinstance(event, InputRequested) and event.request.blocking:
            self.ask_late(update.session_id, event.input_id, event.request)

    def ask_late(self, session_id: str, input_id: str, request: InputRequest) -> None:
        """Ask when those that were asked before are answered."""
        task = asyncio.get_running_loop().create_task(self._ask(session_id, input_id, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, session_id: str, input_id: str, request: InputRequest) -> None:
        async with self._turn:
            self._before()
            request, answer = await self._answered(input_id, request)
            digest = request.digest if isinstance(request, ApprovalRequest) else ""
            await self._handle(AnswerInput(session_id=session_id, input_id=input_id, answer=answer, digest=digest))

    async def _answered(self, input_id: str, first: InputRequest) -> tuple[InputRequest, Answer]:
        """The answer to what was shown last, with that."""
        while True:
            request = self._revised.get(input_id, first)
            answer = await _answer(request)
            if answer.outcome == "reject" or self._revised.get(input_id, request) == request:
                return request, answer


async def _answer(request: InputRequest) -> Answer:
    if isinstance(request, QuestionRequest):
        return await _questions(request)
    if isinstance(request, PlanReview):
        _show("Plan to review", request.plan)
        reply = await _read("Approve the plan? [y]es, or say what to change: ")
        return Answer(outcome="allow_once") if _is_yes(reply) else Answer(outcome="reject", note=reply)
    if isinstance(request, ApprovalRequest):
        return await _approval(request)
    return Answer(outcome="reject", note=cannot_be_shown(request))


async def _approval(request: ApprovalRequest) -> Answer:
    evidence = "\n".join(
        block.unified if isinstance(block, DiffBlock) else block.text
        for block in request.card.blocks
        if isinstance(block, TextBlock | CodeBlock | DiffBlock)
    )
    _show(request.card.title, evidence)
    for line in (request.reason, _sandbox_line(request), *request.warnings):
        if line:
            sys.stderr.write(f"{display_text(line)}\n")
    if request.irreversible:
        return await _confirmed(request)
    covered = next((offer.covers for offer in request.grants if offer.scope == "session"), "")
    if covered:
        sys.stderr.write(f"Always: {display_text(covered)}\n")
    reply = await _read("[y]es once, [a]lways in this run, [n]o: " if covered else "[y]es once, [n]o: ")
    if _is_yes(reply):
        return Answer(outcome="allow_once")
    if covered and reply.lower() in ("a", "always"):
        return Answer(outcome="allow_always", scope="session")
    return Answer(outcome="reject")


async def _confirmed(request: ApprovalRequest) -> Answer:
    """What cannot be taken back needs its word (gate-T3)."""
    word = display_text(request.confirm_word)
    reply = await _read(f"This cannot be undone. Type {word} to do it, anything else to decline: ")
    if reply == request.confirm_word:
        return Answer(outcome="allow_once", confirm=reply)
    return Answer(outcome="reject")


def _sandbox_line(request: ApprovalRequest) -> str:
    if request.subject != "command":
        return ""
    where = {"full": "In the sandbox", "limited": "In the limited sandbox", "none": "Without a sandbox"}[
        request.sandbox
    ]
    return f"{where}, {'with' if request.network == 'open' else 'without'} the network."


async def _questions(request: QuestionRequest) -> Answer:
    choices: dict[str, tuple[str, ...]] = {}
    for question in request.questions:
        lines = [f"  {number}. {option.label}" for number, option in enumerate(question.options, 1)]
        _show(question.text, "\n".join(lines))
        several = question.multi_select and bool(question.options)
        prompt = "Your answers, separated by commas: " if several else "Your answer: "
        reply = await _read(prompt, secret=question.secret)
        picked = reply.split(",") if several else [reply]
        values = tuple(_value(question, part.strip()) for part in picked if part.strip())
        if values:
            choices[question.id] = values
    return Answer(outcome="answered", choices=choices)


def _value(question: Question, typed: str) -> str:
    """The value of the option with that number, else what was typed."""
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 4 else 0
    return question.options[number - 1].value if 0 < number <= len(question.options) else typed


def _is_yes(reply: str) -> bool:
    return reply.lower() in ("y", "yes")


def _show(title: str, text: str) -> None:
    sys.stderr.write(f"\n{display_text(title)}\n{display_text(text, multiline=True)}\n")


async def _read(prompt: str, *, secret: bool = False) -> str:
    """One line from the keyboard, "" at the end of input. Reading does not keep the program from ending.

    What was typed before the prompt stood there answers nothing. `secret`: what is typed is not shown.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()
    with _unseen() if secret else nullcontext():
        _forget_typed()
        sys.stderr.write(prompt)
        sys.stderr.flush()
        threading.Thread(target=_read_line, args=(loop, line), daemon=True).start()
        return (await line).strip()


def _forget_typed() -> None:
    if sys.platform != "win32":
        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _unseen() -> Iterator[None]:
    """The terminal does not echo while this holds."""
    if sys.platform == "win32":
        yield
        return
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(keyboard, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        sys.stderr.write("\n")


def _read_line(loop: asyncio.AbstractEventLoop, line: asyncio.Future[str]) -> None:
    """Hands over what the terminal gives, without Python's own buffer: its lock would be held at the program's end."""
    try:
        typed = os.read(sys.stdin.fileno(), LINE_BYTES).decode(errors="replace")
    except OSError:
        typed = ""
    with suppress(RuntimeError):  # the loop was closed meanwhile
        loop.call_soon_threadsafe(lambda: None if line.done() else line.set_result(typed))
