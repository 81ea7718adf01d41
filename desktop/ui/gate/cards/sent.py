"""SentAnswers: what was sent for open inputs, what came of it, and what a card must know when drawn again."""

from collections.abc import Sequence
from dataclasses import field
from functools import partial

from pydantic import JsonValue
from PySide6.QtCore import QObject, Signal

from desktop.domain.commands import AnswerInput, CheckEdit, ContinueTurn, PreviewEffect, PreviewRule
from desktop.domain.core.ids import new_command_id
from desktop.domain.core.update import Update
from desktop.domain.credentials.commands import ChooseCredential, LookAtKeyring, StoreCredential
from desktop.domain.credentials.updates import KeyringLooked
from desktop.domain.events import Envelope
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.preview.commands import ApplyEffect, TryInCopy
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.domain.proofs.commands import LoadCapture
from desktop.domain.proofs.updates import CaptureLoaded
from desktop.domain.updates import CommandFailed, EditChecked, EffectShown, RulePreviewed
from desktop.records import dataclass
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.gate.cards.sending import NOT_CONFIRMED
from desktop.ui.gate.input_fold import PendingItem

Wanted = (
    PreviewRule
    | CheckEdit
    | PreviewEffect
    | TryInCopy
    | LoadCapture
    | StoreCredential
    | ChooseCredential
    | LookAtKeyring
)

Given = AnswerInput | ApplyEffect | ContinueTurn
Came = RulePreviewed | EditChecked | EffectShown | CaptureLoaded | KeyringLooked | TryProgress | TriedInCopy


@dataclass
class _Kept:
    """What is known of one open input beside its request."""

    under_way: Request = field(default_factory=Request)
    error: str = ""
    edited: EditChecked | None = None
    effect: EffectPreview | None = None
    checked: dict[str, JsonValue] | None = None


class SentAnswers(QObject):
    """Sends for the cards. What it keeps of an input is gone once `forget` was called for it.

    `failed`: an answer was not taken (input id, code, sentence). `refused`: the same of anything else a card wanted.
    `sandbox_wanted`: an answer needs the person's word that full auto may run as the sandbox is (why, and what to call
    when they gave it). `sending`: an answer was sent once more (input id). `came`: what a card wanted has come (input
    id, update). `redraw`: the card of this input shows another version now.
    """

    failed = Signal(str, str, str)
    refused = Signal(str, str, str)
    came = Signal(str, object)
    sandbox_wanted = Signal(str, object)
    sending = Signal(str)
    redraw = Signal(str)

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self.hearing = self._hears()
        self._kept: dict[str, _Kept] = {}

    def answer(self, item: PendingItem, answer: Answer) -> None:
        """Send a person's answer, with the digest of what is on screen."""
        kept = self._of(item.input_id)
        request = item.request
        if answer.edited_input is not None and kept.edited is not None and kept.edited.request is not None:
            request = kept.edited.request
        digest = request.digest if isinstance(request, ApprovalRequest) else ""
        offer = request.network_offer if isinstance(request, ApprovalRequest) else None
        if offer is not None and answer.edited_input == offer.edited_input:
            digest = offer.digest
        session_id, input_id = item.session_id, item.input_id
        command: Given = AnswerInput(session_id=session_id, input_id=input_id, answer=answer, digest=digest)
        if effect := answer.effect:
            word = answer.confirm
            command = ApplyEffect(session_id=session_id, input_id=input_id, digest=digest, effect=effect, confirm=word)
        kept.error = ""
        self._send(command, item.input_id)

    def go_on(self, item: PendingItem) -> None:
        """Go on with the turn that a restart cut off at this input."""
        kept, command = self._of(item.input_id), ContinueTurn(session_id=item.session_id)
        kept.error = ""
        self._send(command, item.input_id)

    def give_up(self, input_id: str) -> None:
        """Nothing came of an answer for so long that a person may give it again; the engine takes one of them."""
        kept = self._of(input_id)
        if kept.under_way.is_waiting:
            kept.under_way, kept.error = Request(), NOT_CONFIRMED
            self.failed.emit(input_id, "not_confirmed", NOT_CONFIRMED)

    def want(self, command: Wanted) -> None:
        """Send something that answers nothing."""
        if isinstance(command, CheckEdit):
            self._of(command.input_id).checked = command.edited_input
        self._requests.ask(command, self, failed=partial(self._on_refused, command.input_id))

    def is_under_way(self, input_id: str) -> bool:
        """Whether an answer was sent and nothing came of it yet."""
        return self._of(input_id).under_way.is_waiting

    def error(self, input_id: str) -> str:
        """Why the last answer was not taken, "" if none was refused."""
        return self._of(input_id).error

    def edited(self, input_id: str) -> EditChecked | None:
        """The person's version of the call, if one was judged fit to run."""
        return self._of(input_id).edited

    def effect(self, input_id: str) -> EffectPreview | None:
        """What a preview found since the asking."""
        return self._of(input_id).effect

    def discard_edit(self, input_id: str) -> None:
        """Show the agent's version again."""
        if self._of(input_id).edited is not None:
            self._of(input_id).edited = None
            self.redraw.emit(input_id)

    def take_revised(self, updates: Sequence[Update]) -> None:
        """Drop the person's version of every call whose card says something else now: it was judged before that."""
        for update in updates:
            if isinstance(update, Envelope) and isinstance(update.event, InputRevised):
                self._of(update.event.input_id).edited = None

    def engine_stopped(self) -> None:
        """Nothing that was sent is confirmed any more."""
        for kept in self._kept.values():
            kept.under_way = Request()

    def forget(self, input_id: str) -> None:
        """The input is resolved."""
        self._kept.pop(input_id, None)

    def _hears(self) -> Hearing:
        hearing = Hearing().on(RulePreviewed, self._on_came).on(EditChecked, self._on_came)
        hearing = hearing.on(TryProgress, self._on_came).on(TriedInCopy, self._on_came)
        return hearing.on(EffectShown, self._on_came).on(CaptureLoaded, self._on_came).on(KeyringLooked, self._on_came)

    def _of(self, input_id: str) -> _Kept:
        return self._kept.setdefault(input_id, _Kept())

    def _send(self, command: Given, input_id: str) -> None:
        failed = partial(self._on_failed, command, input_id)
        self._of(input_id).under_way = self._requests.ask(command, self, failed=failed)

    def _on_refused(self, input_id: str, failed: CommandFailed) -> None:
        self.refused.emit(input_id, failed.code, failed.text)

    def _on_failed(self, command: Given, input_id: str, failed: CommandFailed) -> None:
        kept = self._of(input_id)
        if kept.under_way.is_waiting:  # it was given again, and that answer is under way
            return
        if failed.code == "no_sandbox" and isinstance(command, AnswerInput):
            self.failed.emit(input_id, failed.code, "")
            self.sandbox_wanted.emit(failed.text, lambda: self._without_sandbox(command))
            return
        kept.error = failed.text
        if failed.code == "digest_differs":
            self.discard_edit(input_id)
        self.failed.emit(input_id, failed.code, failed.text)

    def _without_sandbox(self, refused: AnswerInput) -> None:
        answer = refused.answer.model_copy(update={"without_sandbox": True})
        command = refused.model_copy(update={"command_id": new_command_id(), "answer": answer})
        self._send(command, command.input_id)
        self.sending.emit(command.input_id)

    def _on_came(self, update: Came) -> None:
        if update.input_id not in self._kept:
            return
        kept = self._of(update.input_id)
        if isinstance(update, EffectShown):
            kept.effect = update.preview
        if isinstance(update, EditChecked) and update.edited_input != kept.checked:
            return
        if isinstance(update, EditChecked) and update.request is not None:
            kept.edited = update
            self.redraw.emit(update.input_id)
            return
        self.came.emit(update.input_id, update)
