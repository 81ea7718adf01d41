"""PendingInputs: cards that wait for a person. A request and its answer are both on disk before anything follows."""

import asyncio
from dataclasses import dataclass

from desktop.agent.session import Session
from desktop.domain.errors import CommandError
from desktop.domain.events import InputRequested, InputResolved, ResolvedReason
from desktop.domain.ids import new_id
from desktop.domain.pending import (
    SECRET_GIVEN,
    Answer,
    ApprovalRequest,
    InputRequest,
    PlanReview,
    QuestionRequest,
    normalise_answer,
)

CANCELLED = Answer(outcome="cancelled")


@dataclass
class _Waiting:
    session: Session
    request: InputRequest
    future: asyncio.Future[Answer]


class PendingInputs:
    """The open requests of all sessions of this process. All on the engine thread."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}

    async def ask(self, session: Session, request: InputRequest) -> tuple[str, Answer]:
        """Record the request, wait without limit, and give (input id, answer). `cancelled`: it was withdrawn.

        A stop of the turn while waiting closes the request as interrupted and is raised again.
        """
        input_id = new_id("inp_")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        session.append(InputRequested(input_id=input_id, call_id=request.call_id, request=request))
        self._waiting[input_id] = _Waiting(session, request, future)
        try:
            return input_id, await future
        except asyncio.CancelledError:
            self._close(input_id, CANCELLED, "interrupted")
            raise
        finally:
            self._waiting.pop(input_id, None)

    def resolve(self, session_id: str, input_id: str, answer: Answer, *, digest: str, demo: bool = False) -> None:
        """A person's answer: recorded first, then handed to whoever waits.

        Raises:
            CommandError: `input_closed`, `wrong_session`, `digest_differs`, `wrong_kind` or `grant_not_offered`
                (gate-I5); nothing was recorded.
        """
        waiting = self._waiting.get(input_id)
        if waiting is None or waiting.future.done():
            raise CommandError("input_closed", "This request is no longer open.")
        if waiting.session.session_id != session_id:
            raise CommandError("wrong_session", "This request belongs to another chat.")
        request = waiting.request
        if isinstance(request, ApprovalRequest) and digest != request.digest:
            raise CommandError("digest_differs", "The request changed while it was on screen. Look at it again.")
        checked = _checked(request, answer)
        waiting.session.append(
            InputResolved(
                input_id=input_id, answer=_without_secrets(request, checked), person="" if demo else "person",
                digest=digest, demo=demo,
            )
        )  # fmt: skip
        waiting.future.set_result(checked)

    def withdraw(self, session: Session, reason: ResolvedReason) -> None:
        """Close every approval of a session without an answer; their calls do not run."""
        for input_id, waiting in list(self._waiting.items()):
            if waiting.session is session and isinstance(waiting.request, ApprovalRequest):
                self._close(input_id, CANCELLED, reason)

    def _close(self, input_id: str, answer: Answer, reason: ResolvedReason) -> None:
        waiting = self._waiting.get(input_id)
        if waiting is None or input_id not in waiting.session.state.open_inputs:
            return
        waiting.session.record(InputResolved(input_id=input_id, answer=answer, reason=reason))
        if not waiting.future.done():
            waiting.future.set_result(answer)


def _checked(request: InputRequest, answer: Answer) -> Answer:
    """The answer in its normal form. Raises CommandError where it does not fit the request."""
    if answer.outcome == "reject":
        return answer
    if isinstance(request, QuestionRequest):
        if answer.outcome != "answered":
            raise CommandError("wrong_kind", "A question needs an answer, not an approval.")
        return normalise_answer(request, answer)
    if isinstance(request, PlanReview) and answer.mode not in (None, request.mode_after):
        raise CommandError("wrong_kind", "A plan can be approved for the mode on its card only.")
    if answer.outcome == "allow_once" and (answer.edited_input is None or isinstance(request, PlanReview)):
        return answer
    if answer.outcome == "allow_always" and isinstance(request, ApprovalRequest):
        if any(offer.scope == answer.scope == "session" for offer in request.grants):
            return answer
        raise CommandError("grant_not_offered", "This request can be allowed once only.")
    raise CommandError("wrong_kind", "This answer does not fit the request.")


def _without_secrets(request: InputRequest, answer: Answer) -> Answer:
    if not isinstance(request, QuestionRequest):
        return answer
    secret = {question.id for question in request.questions if question.secret}
    if not secret & answer.choices.keys():
        return answer
    hidden = {key: (SECRET_GIVEN,) if key in secret else values for key, values in answer.choices.items()}
    return answer.model_copy(update={"choices": hidden, "note": ""})
