"""PendingInputs: cards that wait for a person. A request and its answer are both on disk before anything follows."""

import asyncio
from collections import Counter
from dataclasses import field

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.credentials.values import id_in
from desktop.domain.events import InputRequested, InputResolved, ResolvedReason
from desktop.domain.gate.pending import (
    GIT_SETTINGS_KEY,
    SECRET_GIVEN,
    Answer,
    ApprovalRequest,
    CredentialRequest,
    InputRequest,
    PictureReview,
    PlanReview,
    QuestionRequest,
    normalise_answer,
)
from desktop.records import dataclass

Words = tuple[tuple[str, ...], ...]
CANCELLED = Answer(outcome="cancelled")
SECRET = "secret"
"""Under what the answer to a request for a secret names what was kept."""


@dataclass(frozen=True)
class Answered:
    """What came of asking. `digest` is the one that was on screen: of the edited call when the person changed it.
    `reason`: who or what closed the request. `prepared`: the call as it was judged for what was on screen last."""

    input_id: str
    answer: Answer
    digest: str = ""
    reason: ResolvedReason = "person"
    prepared: Prepared | None = None


@dataclass
class Waiting:
    """One open request. `prepared`: the call it is about, None for questions. `edits`: by digest, the arguments as a
    person changed them and the request as it was then shown."""

    session: Session
    input_id: str
    request: InputRequest
    future: asyncio.Future[Answered]
    prepared: Prepared | None = None
    edits: dict[str, tuple[dict[str, JsonValue], ApprovalRequest]] = field(default_factory=dict)


class PendingInputs:
    """The open requests of all sessions of this process. All on the engine thread. `asked` is told each. `closing`: the
    app closes, so that what ends now is closed as by a restart and can be answered or continued after it."""

    def __init__(self) -> None:
        self.asked = Listeners[Waiting]()
        self.closing = False
        self._waiting: dict[str, Waiting] = {}
        self._allowed = Counter[tuple[str, Words]]()

    async def ask(self, session: Session, request: InputRequest, prepared: Prepared | None = None) -> Answered:
        """Record the request and wait without limit. `cancelled`: it was withdrawn.

        A stop of the turn while waiting closes the request as interrupted, the end of the app as by a restart; both are
        raised again.
        """
        input_id = new_id("inp_")
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        session.append(InputRequested(input_id=input_id, call_id=request.call_id, request=request))
        waiting = self._waiting[input_id] = Waiting(session, input_id, request, future, prepared)
        self.asked(waiting)
        try:
            return await future
        except asyncio.CancelledError:
            self.close(input_id, "restart" if self.closing else "interrupted")
            raise
        finally:
            self._waiting.pop(input_id, None)

    def counted(self, session: Session, request: ApprovalRequest) -> ApprovalRequest:
        """The request, saying how often since the start of this process one that the same rules would have answered was
        allowed once in this chat."""
        times = self._allowed[session.session_id, _words(request)]
        return request.model_copy(update={"allowed_like": times}) if times else request

    def clicked(self, session: Session, request: ApprovalRequest, prepared: Prepared) -> Answered:
        """A request that a person has answered already, by asking for exactly this: both are recorded at once."""
        input_id, answer = new_id("inp_"), Answer(outcome="allow_once")
        asked = InputRequested(input_id=input_id, call_id=request.call_id, request=request)
        resolved = InputResolved(input_id=input_id, answer=answer, person="person", digest=request.digest)
        session.append_many([asked, resolved])
        return Answered(input_id, answer, request.digest, "person", prepared)

    def approvals(self) -> list[Waiting]:
        """The open approvals of all sessions, oldest first."""
        return [w for w in self._waiting.values() if isinstance(w.request, ApprovalRequest) and not w.future.done()]

    def open(self) -> list[Waiting]:
        """The open requests of all sessions, oldest first."""
        return [one for one in self._waiting.values() if one.input_id in one.session.state.open_inputs]

    def approval(self, session_id: str, input_id: str) -> tuple[Waiting, ApprovalRequest, Prepared]:
        """An open approval with its call.

        Raises:
            CommandError: `input_closed`, `wrong_session` or `wrong_kind`.
        """
        waiting = self._open(session_id, input_id)
        if not isinstance(waiting.request, ApprovalRequest) or waiting.prepared is None:
            raise CommandError("wrong_kind", "This request is not about a call.")
        return waiting, waiting.request, waiting.prepared

    def credential(self, session_id: str, input_id: str) -> CredentialRequest:
        """An open request for a secret.

        Raises:
            CommandError: `input_closed`, `wrong_session` or `wrong_kind`.
        """
        request = self._open(session_id, input_id).request
        if not isinstance(request, CredentialRequest):
            raise CommandError("wrong_kind", "This request is not for a secret.")
        return request

    def check(self, session_id: str, input_id: str, answer: Answer, *, digest: str) -> Answer:
        """The answer in its normal form, if it may be given.

        Raises:
            CommandError: `input_closed`, `wrong_session`, `digest_differs`, `wrong_kind`, `confirm_differs` or
                `grant_not_offered` (gate-I5); nothing was recorded.
        """
        waiting = self._open(session_id, input_id)
        request = waiting.request
        if isinstance(request, ApprovalRequest):
            request = _as_shown(waiting, request, answer, digest)
        return _checked(request, answer)

    def shown(self, session_id: str, input_id: str, digest: str) -> InputRequest:
        """The request as it was on screen under this digest: a person's own version of the call, or the agent's.

        Raises:
            CommandError: `input_closed` or `wrong_session`.
        """
        waiting = self._open(session_id, input_id)
        edited = waiting.edits.get(digest)
        return waiting.request if edited is None else edited[1]

    def resolve(
        self,
        session_id: str,
        input_id: str,
        answer: Answer,
        *,
        digest: str,
        shown: str = "",
        person: str = "person",
    ) -> None:
        """A person's answer: recorded first, then handed to whoever waits. `shown`: the SHA-256 of the text on screen;
        `person`: as whose it is recorded, "" for the demo's.

        Raises:
            CommandError: as `check`; nothing was recorded.
        """
        checked = self.check(session_id, input_id, answer, digest=digest)
        waiting = self._waiting[input_id]
        stored = _without_secrets(waiting.request, checked)
        resolved = InputResolved(
            input_id=input_id,
            answer=stored,
            person=person,
            digest=digest,
            shown_sha256=shown,
            demo=not person,
        )
        waiting.session.append(resolved)
        if checked.outcome == "allow_once" and (words := _words(waiting.request)):
            self._allowed[session_id, words] += 1
        reason: ResolvedReason = "rule" if _changes_judgement(waiting.request, checked) else "person"
        waiting.future.set_result(Answered(input_id, checked, digest, reason, waiting.prepared))

    def close(self, input_id: str, reason: ResolvedReason, answer: Answer = CANCELLED) -> None:
        """Close a request without a person. Does nothing when it is closed already."""
        waiting = self._waiting.get(input_id)
        if waiting is None or waiting.session.state.open_inputs.get(input_id) is None:
            return
        waiting.session.record(InputResolved(input_id=input_id, answer=answer, reason=reason))
        if not waiting.future.done():
            digest = waiting.request.digest if isinstance(waiting.request, ApprovalRequest) else ""
            waiting.future.set_result(Answered(input_id, answer, digest, reason, waiting.prepared))

    def withdraw(self, session: Session, call_id: str) -> bool:
        """Close what is open of a call that its agent takes back; whether anything was."""
        of_call = [one for one in self.open() if one.session is session and one.request.call_id == call_id and call_id]
        for one in of_call:
            self.close(one.input_id, "withdrawn")
        return bool(of_call)

    def _open(self, session_id: str, input_id: str) -> Waiting:
        waiting = self._waiting.get(input_id)
        if waiting is None or waiting.future.done():
            raise CommandError("input_closed", "This request is no longer open.")
        if waiting.session.session_id != session_id:
            raise CommandError("wrong_session", "This request belongs to another chat.")
        return waiting


def _words(request: InputRequest) -> Words:
    """The words of the rules that would answer a request; () where none can be made."""
    grants = request.grants if isinstance(request, ApprovalRequest) else ()
    return next((offer.tokens for offer in grants if offer.tokens), ())


def _changes_judgement(request: InputRequest, answer: Answer) -> bool:
    """Whether the call is not run as it was asked about but judged anew, because an answer changed what is known of
    it: accepted settings of Git make it a read."""
    key = request.remember_key if isinstance(request, ApprovalRequest) else None
    return answer.outcome == "allow_always" and key is not None and key.startswith(GIT_SETTINGS_KEY)


def _as_shown(waiting: Waiting, request: ApprovalRequest, answer: Answer, digest: str) -> ApprovalRequest:
    """The request as it was on screen when the person answered: their own version of the call, or the agent's."""
    shown = request
    if answer.edited_input is not None:
        edited_input, shown = waiting.edits.get(digest, ({}, request))
        if answer.edited_input != edited_input or answer.outcome not in ("allow_once", "allow_always"):
            raise CommandError("digest_differs", "The changed call was not checked. Check the changes again.")
    elif digest != request.digest:
        raise CommandError("digest_differs", "The request changed while it was on screen. Look at it again.")
    if shown.irreversible and answer.outcome != "reject" and answer.confirm.strip() != shown.confirm_word:
        raise CommandError("confirm_differs", f"Type {shown.confirm_word} to confirm.")
    return shown


def _checked(request: InputRequest, answer: Answer) -> Answer:
    """The answer in its normal form. Raises CommandError where it does not fit the request."""
    if answer.outcome == "reject":
        return answer
    if isinstance(request, QuestionRequest):
        if answer.outcome != "answered":
            raise CommandError("wrong_kind", "A question needs an answer, not an approval.")
        return normalise_answer(request, answer)
    if isinstance(request, CredentialRequest):
        return _checked_secret(answer)
    if isinstance(request, PlanReview):
        _check_plan(request, answer)
    if answer.outcome == "allow_once":
        return answer if isinstance(request, PictureReview) else answer.model_copy(update={"crop": None, "blanks": ()})
    if answer.outcome == "allow_always" and isinstance(request, ApprovalRequest):
        if answer.scope != "once" and any(offer.scope == answer.scope for offer in request.grants):
            return answer
        raise CommandError("grant_not_offered", "This request can be allowed once only.")
    raise CommandError("wrong_kind", "This answer does not fit the request.")


def _checked_secret(answer: Answer) -> Answer:
    """The id of what was kept, and nothing else of what a person typed."""
    if answer.outcome != "answered" or not id_in(f"secret:{''.join(answer.choices.get(SECRET, ()))}"):
        raise CommandError("wrong_kind", "A secret is typed on its card, or declined.")
    return Answer(outcome="answered", choices={SECRET: answer.choices[SECRET]})


def _check_plan(request: PlanReview, answer: Answer) -> None:
    if answer.mode not in (None, request.mode_after, PermissionMode.FULL_AUTO):
        raise CommandError("wrong_kind", "A plan can be approved for the modes on its card only.")
    if answer.edited_plan is not None and not answer.edited_plan.strip():
        raise CommandError("wrong_kind", "A plan needs a text.")


def checked_late(request: InputRequest, answer: Answer) -> Answer:
    """A person's answer to a question or plan that a restart closed, as it may be recorded: without secrets.

    Raises:
        CommandError: it does not fit the request.
    """
    return _without_secrets(request, _checked(request, answer))


def _without_secrets(request: InputRequest, answer: Answer) -> Answer:
    if not isinstance(request, QuestionRequest):
        return answer
    secret = {question.id for question in request.questions if question.secret}
    if not secret & answer.choices.keys():
        return answer
    hidden = {key: (SECRET_GIVEN,) if key in secret else values for key, values in answer.choices.items()}
    return answer.model_copy(update={"choices": hidden, "note": ""})
