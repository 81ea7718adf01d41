"""Cards at an editor: what of a request is put to it, in which words, and what its answer means."""

from collections.abc import Iterator
from typing import Literal

from pydantic import JsonValue

from desktop.agent.acp.shown import KINDS, MOST_CHARS
from desktop.agent.acp.words import Json, shown
from desktop.domain.display.lazy import card_title
from desktop.domain.display.shown_text import shown_text
from desktop.domain.display.text import is_hidden, prose_safe
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    InputRequest,
    PlanReview,
    Question,
    QuestionRequest,
    cannot_be_shown,
)
from desktop.records import dataclass

ALLOW, ALWAYS, REJECT = "allow_once", "allow_always", "reject_once"
IN_THE_WINDOW = "Answer this in Banksman’s window."
NOBODY = "The editor cannot ask this, so nobody answered. Decide yourself, or ask with choices to pick from."
MOST_CHOICES = 8
DIGEST_CHARS = 12
WORD = "word"
OTHER = "other:"
DECLINED = Answer(outcome="reject")


@dataclass(frozen=True)
class Asking:
    """One request to an editor: `method` with `params`. A form is answered by its fields, a permission by an option."""

    method: Literal["session/request_permission", "elicitation/create"]
    params: Json


def why_not_whole(request: InputRequest) -> str:
    """Why an editor cannot show all of a request, "" if it can: what people do not see they do not answer."""
    if isinstance(request, QuestionRequest) and any(question.secret for question in request.questions):
        return "A secret is given in a window of Banksman only."
    if why := cannot_be_shown(request):
        return why
    text = shown_text(request)
    if len(text) > MOST_CHARS:
        return f"It is longer than {MOST_CHARS:,} characters."
    hides = _hides if isinstance(request, ApprovalRequest) else _prose_hides
    if any(hides(one) for one in _raw(request)):
        return "It holds characters that cannot be seen."
    return ""


def _hides(text: str) -> bool:
    return any(char != "\n" and is_hidden(char) for char in set(text.replace("\r\n", "\n")))


def _prose_hides(text: str) -> bool:
    """As `_hides`, of words to be read, in which a script or an emoji may need characters that alone are not seen."""
    runs = prose_safe(text.replace("\r\n", "\n"), multiline=True)
    return any(run.kind == "token" and run.text[1:3] == "U+" for run in runs)


def _raw(request: InputRequest) -> Iterator[str]:
    """Every text of a request as it came, before anything in it was made visible."""
    return _texts(request.model_dump(mode="json"))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _texts(one)


# Approvals and plans


def approval(session_id: str, request: ApprovalRequest, *, forms: bool) -> Asking | None:
    """What is put to the editor; None: what cannot be undone needs its word typed, and the editor shows no forms."""
    if request.irreversible and not forms:
        return None
    if request.irreversible:
        return _confirmation(session_id, request)
    grant = next((offer.covers for offer in request.grants if offer.scope == "session"), "")
    options = [_option(ALLOW, "Allow once", "allow_once")]
    if grant:
        options.append(_option(ALWAYS, f"Allow in this chat: {card_title(grant)}", "allow_always"))
    options.append(_option(REJECT, "Decline", "reject_once"))
    call: Json = {
        "toolCallId": request.call_id,
        "title": card_title(request.card.title),
        "kind": KINDS.get(request.category.value, "other"),
        "status": "pending",
        "rawInput": dict(request.arguments),
        "content": shown([evidence(request)]),
    }
    return Asking("session/request_permission", {"sessionId": session_id, "toolCall": call, "options": options})


def evidence(request: ApprovalRequest) -> str:
    """All that a card shows, and what it is answered by, as text in which everything can be seen."""
    flags = ", ".join(flag.replace("_", " ") for flag in request.risk_flags)
    where = {"full": "in the sandbox", "limited": "in the limited sandbox", "none": "without a sandbox"}
    network = {"off": "without the network", "open": "with the network", "hosts": "with named hosts alone"}
    reach = network[request.network]
    if request.network == "hosts":
        reach = f"{reach}: {', '.join(request.hosts)}"
    lines = [
        shown_text(request),
        f"Rule: {request.rule.replace('_', ' ')}" if request.rule else "",
        f"Risk: {request.risk}{f' ({flags})' if flags else ''}",
        f"Runs {where[request.sandbox]}, {reach}" if request.subject == "command" else "",
        f"Digest: {request.digest[:DIGEST_CHARS]}",
    ]
    return "\n".join(line for line in lines if line)


def plan(session_id: str, request: PlanReview) -> Asking:
    """A plan, whose approval changes the mode."""
    call: Json = {
        "toolCallId": request.call_id,
        "title": "Plan to review",
        "kind": "switch_mode",
        "status": "pending",
        "rawInput": {"plan": request.plan},
        "content": shown([request.plan]),
    }
    options = [
        _option(ALLOW, "Approve the plan and go on in Edit mode", "allow_once"),
        _option(REJECT, "Go on planning", "reject_once"),
    ]
    return Asking("session/request_permission", {"sessionId": session_id, "toolCall": call, "options": options})


def decided(request: ApprovalRequest | PlanReview, asking: Asking, answer: JsonValue) -> Answer:
    """What a person at an editor answered; whatever was not offered is a decline (guests-R16)."""
    if asking.method == "elicitation/create":
        word = _fields(answer).get(WORD)
        if isinstance(request, ApprovalRequest) and isinstance(word, str) and word == request.confirm_word:
            return Answer(outcome="allow_once", confirm=word)
        return DECLINED
    option = picked(answer)
    offered = {option_id for option_id, _ in _offered(asking)}
    if option == ALLOW and ALLOW in offered:
        return Answer(outcome="allow_once")
    if option == ALWAYS and ALWAYS in offered:
        return Answer(outcome="allow_always", scope="session")
    return DECLINED


def picked(answer: JsonValue) -> str:
    """The id of the option that was picked, "" for none."""
    outcome = answer.get("outcome") if isinstance(answer, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return ""
    option = outcome.get("optionId")
    return option if isinstance(option, str) else ""


def _offered(asking: Asking) -> Iterator[tuple[str, str]]:
    options = asking.params.get("options")
    for option in options if isinstance(options, list) else []:
        if isinstance(option, dict):
            yield str(option["optionId"]), str(option["name"])


def _option(option_id: str, name: str, kind: str) -> JsonValue:
    return {"optionId": option_id, "name": name, "kind": kind}


def _confirmation(session_id: str, request: ApprovalRequest) -> Asking:
    word = request.confirm_word
    field: Json = {"type": "string", "title": f"Type {word} to do it", "description": "This cannot be undone."}
    return _form(session_id, request.call_id, evidence(request), {WORD: field}, [WORD])


# Questions


def question_form(session_id: str, request: QuestionRequest) -> Asking:
    """All questions of a request as one form."""
    fields: Json = {}
    for question in request.questions:
        fields[question.id] = _field(question)
        if question.options and question.freeform:
            fields[f"{OTHER}{question.id}"] = {"type": "string", "title": "Something else"}
    required: list[JsonValue] = [one.id for one in request.questions if one.required and not one.freeform]
    return _form(session_id, request.call_id, shown_text(request), fields, required)


def choices_of(request: QuestionRequest, answer: JsonValue) -> Answer:
    """What a form was filled with; nothing is a decline."""
    filled = _fields(answer)
    choices: dict[str, tuple[str, ...]] = {}
    for question in request.questions:
        values = [*_values(filled.get(question.id)), *_values(filled.get(f"{OTHER}{question.id}"))]
        if values:
            choices[question.id] = tuple(values) if question.multi_select else tuple(values[-1:])
    return Answer(outcome="answered", choices=choices) if choices else DECLINED


def can_be_picked(request: QuestionRequest) -> bool:
    """Whether each question is answered by one of a few choices."""
    return all(0 < len(one.options) <= MOST_CHOICES for one in request.questions)


def question_options(session_id: str, request: QuestionRequest, question: Question) -> Asking:
    """One question with its choices, as options of a permission."""
    words = shown_text(request.model_copy(update={"questions": (question,)}))
    options = [_option(f"choice:{at}", card_title(one.label), "allow_once") for at, one in enumerate(question.options)]
    options.append(_option(REJECT, "Do not answer", "reject_once"))
    call: Json = {
        "toolCallId": request.call_id,
        "title": card_title(question.header or request.title or question.text),
        "kind": "other",
        "status": "pending",
        "content": shown([words]),
    }
    return Asking("session/request_permission", {"sessionId": session_id, "toolCall": call, "options": options})


def choice_of(question: Question, answer: JsonValue) -> str:
    """The value of the option that was picked, "" for none."""
    kind, _, at = picked(answer).partition(":")
    number = int(at) if kind == "choice" and at.isascii() and at.isdecimal() and len(at) < 3 else -1
    return question.options[number].value if 0 <= number < len(question.options) else ""


def _field(question: Question) -> JsonValue:
    title = card_title(question.header or question.text)
    options: list[JsonValue] = [
        {
            "const": one.value,
            "title": card_title(one.label),
            **({"description": one.description} if one.description else {}),
        }
        for one in question.options
    ]
    if not options:
        return {"type": "string", "title": title}
    if question.multi_select:
        return {"type": "array", "title": title, "items": {"anyOf": options}}
    return {"type": "string", "title": title, "oneOf": options}


def _form(session_id: str, call_id: str, message: str, fields: Json, required: list[JsonValue]) -> Asking:
    schema: Json = {"type": "object", "properties": fields, "required": required}
    scope: Json = {"mode": "form", "sessionId": session_id, "toolCallId": call_id}
    return Asking("elicitation/create", {**scope, "message": message, "requestedSchema": schema})


def _fields(answer: JsonValue) -> Json:
    """What a form was filled with, {} unless it was sent."""
    if not isinstance(answer, dict) or answer.get("action") != "accept":
        return {}
    content = answer.get("content")
    return content if isinstance(content, dict) else {}


def _values(value: JsonValue) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, str) and one.strip()]
