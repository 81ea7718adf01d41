"""FolderCards: cards of a run without a terminal, answered by files in a private folder."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from pydantic import Field, ValidationError

from desktop.cli.headless.cards import digest_of, waiting_line
from desktop.cli.headless.folder import PrivateFolder, RefusedFile, StuckFile
from desktop.domain.commands import AnswerInput, ContinueTurn
from desktop.domain.core.base import Frozen
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.display.shown_text import shown_text
from desktop.domain.events import Envelope, InputRequested, InputResolved
from desktop.domain.gate.commands import WithdrawInput
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    GrantScope,
    InputRequest,
    Outcome,
    cannot_be_shown,
    input_title,
)
from desktop.domain.updates import CommandFailed, SandboxReported
from desktop.records import dataclass

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2
UNCONFINED = "Commands are not confined any more, so they could answer cards. What is asked from here on is declined."


class FileAnswer(Frozen):
    """What a file of an answer may hold. `digest`: that of the request as it stands in its file now."""

    digest: str
    outcome: Outcome
    scope: GrantScope = "once"
    note: str = ""
    confirm: str = ""
    stop_turn: bool = False
    choices: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass
class OpenCard:
    """One request that waits. `written_ns`: when its file was; `until`: the loop's time at which nobody answered.
    `late`: a restart had closed it, and its answer begins the turn. `stuck`: its answer cannot be taken, which was
    said."""

    session_id: str
    input_id: str
    request: InputRequest
    until: float
    written_ns: int = 0
    late: bool = False
    stuck: bool = False

    def file(self, ending: str) -> str:
        """The name of a file of this card."""
        return f"{self.input_id}.{ending}"


class FolderCards:
    """Each card is a file `ID.json` while it waits. A file `ID.answer.json` answers it; one that does not fit is taken
    away, and `ID.error` says why. `handle` carries out commands of a person; `say` is told what waits."""

    def __init__(
        self,
        folder: PrivateFolder,
        handle: Callable[[Command], Awaitable[None]],
        say: Callable[[str], None],
        timeout_s: float,
    ) -> None:
        self._folder = folder
        self._handle = handle
        self._say = say
        self._timeout_s = timeout_s
        self._open: dict[str, OpenCard] = {}
        self._failed: dict[str, str] = {}
        self._faulty = False
        self._looking: asyncio.Task[None] | None = None
        self._confined = True

    def take(self, update: Update) -> None:
        """Write a card when it opens or changes; take it away when it closes."""
        if isinstance(update, CommandFailed):
            self._failed[update.command_id] = update.text
        elif isinstance(update, SandboxReported) and update.report.tier == "none":
            self._lost()
        elif isinstance(update, Envelope):
            event = update.event
            if isinstance(event, InputRequested) and event.request.blocking:
                self._begin(update.session_id, event.input_id, event.request)
            elif isinstance(event, InputRevised) and event.input_id in self._open:
                self._open[event.input_id].request = event.request
                self._write(self._open[event.input_id])
            elif isinstance(event, InputResolved):
                self._close(event.input_id)

    def ask_late(self, session_id: str, input_id: str, request: InputRequest) -> None:
        """Write the card of a request that a restart had closed."""
        self._begin(session_id, input_id, request, late=True)

    def _begin(self, session_id: str, input_id: str, request: InputRequest, *, late: bool = False) -> None:
        until = asyncio.get_running_loop().time() + self._timeout_s
        card = self._open[input_id] = OpenCard(session_id, input_id, request, until, late=late)
        if self._confined and not cannot_be_shown(request):
            self._write(card)
        if self._looking is None or self._looking.done():
            self._begin_to_look()

    def _write(self, card: OpenCard) -> None:
        expires = datetime.now(UTC) + timedelta(seconds=card.until - asyncio.get_running_loop().time())
        told = waiting_line(card.session_id, card.input_id, card.request) | {"type": "request", "version": 1}
        told |= {
            "expires_at": expires.isoformat(timespec="seconds"),
            "text": shown_text(card.request),
            "request": card.request.model_dump(mode="json"),
        }
        try:
            card.written_ns = self._folder.write(card.file("json"), told)
        except OSError as error:
            self._say(f"The card could not be written to {self._folder.path}: {error.strerror}. It is declined.")
            card.until = 0
            return
        self._say(f"Waits for an answer: {input_title(card.request)} ({self._folder.path / card.file('json')})")

    def _close(self, input_id: str) -> None:
        card = self._open.pop(input_id, None)
        if card is not None and card.file("answer.json") in self._folder.remove(
            card.file("json"), card.file("answer.json")
        ):
            self._say(f"An answer came too late and does not count: {input_title(card.request)}")

    def _lost(self) -> None:
        if self._confined:
            self._confined = False
            self._say(UNCONFINED)

    # Answers

    def _begin_to_look(self, after_s: float = 0) -> None:
        self._looking = asyncio.get_running_loop().create_task(self._look(after_s))
        self._looking.add_done_callback(self._looked)

    async def _look(self, after_s: float) -> None:
        """Look for answers as long as a card waits."""
        await asyncio.sleep(after_s)
        while self._open:
            for card in list(self._open.values()):
                await self._look_at(card)
            await asyncio.sleep(LOOK_EVERY_S)

    def _looked(self, looking: asyncio.Task[None]) -> None:
        """A fault must leave no card unanswered without a word: it is said once, and the looking goes on."""
        if looking.cancelled() or (error := looking.exception()) is None:
            return
        logger.error("Looking for answers failed", exc_info=error)
        if not self._faulty:
            self._faulty = True
            self._say(f"Looking for answers in {self._folder.path} failed once and goes on: {error}")
        if self._open:
            self._begin_to_look(LOOK_EVERY_S)

    async def _look_at(self, card: OpenCard) -> None:
        if why := cannot_be_shown(card.request):
            await self._send(card, Answer(outcome="reject", note=why))
        elif not self._confined or asyncio.get_running_loop().time() >= card.until:
            await self._nobody(card)
        else:
            try:
                if (found := self._folder.take(card.file("answer.json"))) is not None:
                    await self._send(card, _answer_in(card, *found))
            except StuckFile as error:
                if not card.stuck:
                    self._refuse(card, str(error))
                card.stuck = True
            except RefusedFile as error:
                self._refuse(card, str(error))

    async def _nobody(self, card: OpenCard) -> None:
        """A card that a restart had closed stays so: the turn goes on without its answer."""
        self._close(card.input_id)
        if card.late:
            await self._handle(ContinueTurn(session_id=card.session_id))
        else:
            await self._handle(WithdrawInput(session_id=card.session_id, input_id=card.input_id))

    async def _send(self, card: OpenCard, answer: Answer) -> None:
        digest = card.request.digest if isinstance(card.request, ApprovalRequest) else ""
        command = AnswerInput(session_id=card.session_id, input_id=card.input_id, answer=answer, digest=digest)
        await self._handle(command)
        if problem := self._failed.pop(command.command_id, ""):
            self._refuse(card, problem)
        else:
            self._close(card.input_id)

    def _refuse(self, card: OpenCard, why: str) -> None:
        self._say(f"An answer was refused: {why}")
        try:
            self._folder.write(card.file("error"), {"input_id": card.input_id, "error": why})
        except OSError:
            return  # it was said


def _answer_in(card: OpenCard, content: bytes, written_ns: int) -> Answer:
    """The answer of a file.

    Raises:
        RefusedFile: it does not fit the request as it is now.
    """
    if written_ns < card.written_ns:
        raise RefusedFile("The answer is older than the request.")
    try:
        given = FileAnswer.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "its JSON"
        raise RefusedFile(f"The answer cannot be read: {where}: {first['msg']}.") from error
    request = card.request
    if given.digest != digest_of(request):
        raise RefusedFile("The digest is not that of the request. Read it again.")
    if isinstance(request, ApprovalRequest) and given.scope not in ("once", *(one.scope for one in request.grants)):
        raise RefusedFile(f"The request cannot be allowed for the scope '{given.scope}'.")
    if (given.outcome == "allow_always") != (given.scope != "once"):
        raise RefusedFile("The outcome allow_always goes with the scope session or project, and with no other.")
    if given.outcome == "cancelled":
        raise RefusedFile("The outcome of an answer is allow_once, allow_always, answered or reject.")
    return Answer(
        outcome=given.outcome,
        scope=given.scope,
        note=given.note,
        confirm=given.confirm,
        stop_turn=given.stop_turn,
        choices=given.choices,
    )
