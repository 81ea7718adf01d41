"""EditorCards: puts open requests of a chat to the editor, and hands over what a person answers there."""

import asyncio

from pydantic import JsonValue

from desktop.agent.acp import cards
from desktop.agent.acp.carrier import Carrier
from desktop.domain.commands import AnswerInput
from desktop.domain.core.errors import CommandError
from desktop.domain.display.lazy import card_title
from desktop.domain.events import Event, InputRequested, InputResolved
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, ApprovalRequest, InputRequest, PlanReview, QuestionRequest, input_title
from desktop.records import dataclass
from desktop.services.acp.wire import Wire, WireClosed, WireError

UNHEARD = Answer(outcome="reject", note="The editor could not ask this.")


@dataclass(frozen=True)
class Asker:
    """`chat_id`: the chat as the editor knows it. `forms`: it can show forms. `person`: as whose answers are recorded.
    `has_window`: what the editor cannot show waits there."""

    chat_id: str
    wire: Wire
    carrier: Carrier
    forms: bool
    person: str
    has_window: bool


class EditorCards:
    """The cards of one chat and of those below it. An answer of a window is as good: the first one counts."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._open: dict[str, asyncio.Task[None]] = {}

    @property
    def waits(self) -> bool:
        """Whether a person at the editor has not answered yet."""
        return bool(self._open)

    def saw(self, owner_id: str, event: Event) -> str:
        """Ask, ask anew, or ask no more; a sentence for the person, "" for none. `owner_id`: whose request it is."""
        if isinstance(event, InputRequested) and event.request.blocking:
            return self.begin(owner_id, event.input_id, event.request)
        if isinstance(event, InputRevised) and event.input_id in self._open:
            self._end(event.input_id)
            return self.begin(owner_id, event.input_id, event.request)
        if isinstance(event, InputResolved):
            self._end(event.input_id)
        return ""

    def begin(self, owner_id: str, input_id: str, request: InputRequest) -> str:
        """Put an open request to the editor, unless it cannot show all of it; then a sentence says where it waits."""
        asker = self._asker
        why = cards.why_not_whole(request) or self._unasked(request)
        if why and asker.has_window:
            return f"\n\n{cards.IN_THE_WINDOW} {card_title(input_title(request))}: {why}\n\n"
        note = cards.NOBODY if isinstance(request, QuestionRequest) else f"{cards.IN_THE_WINDOW} {why}"
        told = Answer(outcome="reject", note=note) if why else None
        task = asyncio.create_task(self._ask(owner_id, input_id, request, told), name="acp card")
        self._open[input_id] = task
        task.add_done_callback(lambda _: self._forget(input_id, task))
        return f"\n\n{cards.IN_THE_WINDOW} {why} It was declined.\n\n" if why else ""

    def close(self) -> None:
        """Ask nothing any more; the requests stay open."""
        for input_id in tuple(self._open):
            self._end(input_id)

    def _unasked(self, request: InputRequest) -> str:
        """Why an editor without forms cannot ask this, "" if it can."""
        if self._asker.forms:
            return ""
        if isinstance(request, ApprovalRequest) and request.irreversible:
            return "It cannot be undone, and the editor has no form for the word that confirms it."
        if isinstance(request, QuestionRequest) and not cards.can_be_picked(request):
            return "The editor has no form for it."
        return ""

    def _end(self, input_id: str) -> None:
        task = self._open.pop(input_id, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def _forget(self, input_id: str, task: "asyncio.Task[None]") -> None:
        if self._open.get(input_id) is task:
            del self._open[input_id]

    async def _ask(self, owner_id: str, input_id: str, request: InputRequest, told: Answer | None) -> None:
        try:
            answer = told or await self._answer(request)
        except WireClosed:
            return
        except WireError:
            answer = UNHEARD
        digest = request.digest if isinstance(request, ApprovalRequest) else ""
        person = self._asker.person
        command = AnswerInput(session_id=owner_id, input_id=input_id, answer=answer, digest=digest, person=person)
        try:
            await self._asker.carrier.run(command)
        except CommandError:
            return  # somebody else answered, or it changed meanwhile: then it is asked anew

    async def _answer(self, request: InputRequest) -> Answer:
        """What the person says. Raises WireError, WireClosed."""
        if isinstance(request, QuestionRequest):
            return await self._questions(request)
        asking = self._asking(request)
        if asking is None or not isinstance(request, ApprovalRequest | PlanReview):
            return UNHEARD
        return cards.decided(request, asking, await self._put(asking))

    def _asking(self, request: InputRequest) -> cards.Asking | None:
        if isinstance(request, ApprovalRequest):
            return cards.approval(self._asker.chat_id, request, forms=self._asker.forms)
        return cards.plan(self._asker.chat_id, request) if isinstance(request, PlanReview) else None

    async def _questions(self, request: QuestionRequest) -> Answer:
        chat_id = self._asker.chat_id
        if self._asker.forms:
            return cards.choices_of(request, await self._put(cards.question_form(chat_id, request)))
        choices: dict[str, tuple[str, ...]] = {}
        for question in request.questions:
            answer = await self._put(cards.question_options(chat_id, request, question))
            if not (value := cards.choice_of(question, answer)):
                return cards.DECLINED
            choices[question.id] = (value,)
        return Answer(outcome="answered", choices=choices)

    async def _put(self, asking: cards.Asking) -> JsonValue:
        return await self._asker.wire.request(asking.method, asking.params, limit_s=None, withdraws=True)
