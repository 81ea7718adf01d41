"""Secrets in words of a person: taken out of answers, sent back in changed calls, and what follows from one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.domain.events import Event, Notice
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer, InputRequest, QuestionRequest
from desktop.domain.gate.redaction import Redactor

SOURCE = "a secret in a message of yours"
Place = Literal["message", "answer"]
_TOLD: Mapping[Place, str] = {
    "message": "Taken out of your message: {names}.",
    "answer": "Taken out of your answer: {names}.",
}
_DETAIL = "It is neither stored nor sent. Agents ask for a secret on a card, and get a name for it alone."


def told_of(session: Session, marks: Iterable[str], where: Place) -> list[Event]:
    """The mark of the chat and a line for people, where words of theirs hold marks of removed secrets."""
    names = ", ".join(dict.fromkeys(mark.removeprefix("[secret ").removesuffix(" removed]") for mark in marks))
    if not names:
        return []
    told = Notice(kind="secret", level="warning", text=_TOLD[where].format(names=names), detail=_DETAIL)
    known = SOURCE in session.state.tainted
    return [told] if known else [SessionTainted(reason="secret", source=SOURCE), told]


def cleaned(request: InputRequest, answer: Answer, redactor: Redactor) -> Answer:
    """The answer without secrets in free text. What a question offered to choose from, or asked for as a secret, stays
    as it is."""
    update: dict[str, object] = {"note": redactor.redact(answer.note).text}
    if answer.edited_plan is not None:
        update["edited_plan"] = redactor.redact(answer.edited_plan).text
    if isinstance(request, QuestionRequest):
        stay = {one.id: {option.value for option in one.options} for one in request.questions if not one.secret}
        update["choices"] = {
            key: tuple(
                value if key not in stay or value in stay[key] else redactor.redact(value).text for value in values
            )
            for key, values in answer.choices.items()
        }
    return answer.model_copy(update=update)


def marks_of(request: InputRequest, answer: Answer, redactor: Redactor) -> tuple[str, ...]:
    """The marks of secrets that were taken out of an answer."""
    asks = isinstance(request, QuestionRequest)
    free = (value for values in answer.choices.values() for value in values) if asks else ()
    texts = (answer.note, answer.edited_plan or "", *free)
    return tuple(mark for text in texts for mark in redactor.marks_in(text))


def new_secrets(given: dict[str, JsonValue], before: dict[str, JsonValue], redactor: Redactor) -> tuple[str, ...]:
    """The names of what looks like a secret in the arguments that a person changed, and did not stand in the call."""
    known = "\0".join(_texts(before))
    found = (one for text in _texts(given) for one in redactor.take_out(text)[1])
    return tuple(dict.fromkeys(name for name, value in found if value not in known))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
