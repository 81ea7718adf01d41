"""Pending inputs: what waits for a person (approval, question, plan), and the person's answer."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from desktop.domain.base import Frozen
from desktop.domain.content import Card
from desktop.domain.permissions import Category, PermissionMode, RuleHit

RiskFlag = Literal["changes_data", "changes_schema", "leaves_computer", "outside_lane", "protected", "irreversible"]
GrantScope = Literal["once", "session"]
Outcome = Literal["allow_once", "allow_always", "reject", "answered", "cancelled"]


class GrantOffer(Frozen):
    """One way to allow a call. `covers` says in words exactly what it allows and for how long."""

    scope: GrantScope
    covers: str


class ApprovalRequest(Frozen):
    """A call that waits for a person's yes, with everything its card shows, frozen at the time of asking.

    `digest` is what the consent is bound to. `rule` and `reason` say why it asks. `blocking` False: the call already
    ran and the record is for looking back (it never waits, is never in the tray). `head`: the lane's commit, "" if
    unknown. `confirm_word`: what must be typed when `irreversible`. `source`: the agent's own words about the call,
    never a title.
    """

    kind: Literal["approval"] = "approval"
    call_id: str
    card: Card
    category: Category
    reason: str
    rule: str
    hits: tuple[RuleHit, ...] = ()
    mode: PermissionMode
    digest: str
    grants: tuple[GrantOffer, ...] = ()
    remember_key: str | None = None
    risk_flags: tuple[RiskFlag, ...] = ()
    irreversible: bool = False
    confirm_word: str = ""
    asker: str = "Agent"
    source: str = ""
    lane: str = ""
    cwd: str = ""
    head: str = ""
    sandbox: Literal["none", "limited", "full"] = "none"
    blocking: bool = True


class Option(Frozen):
    """One choice of a question. `value` is what the agent gets; `preview` is shown while the option has the focus."""

    label: str
    value: str
    description: str = ""
    recommended: bool = False
    preview: str = ""
    preview_format: Literal["markdown", "text", "html"] = "markdown"


class Question(Frozen):
    """One question. Without options it asks for free text."""

    id: str
    text: str
    header: str = ""
    options: tuple[Option, ...] = ()
    multi_select: bool = False
    required: bool = True
    freeform: bool = True
    secret: bool = False
    default_assumption: str = ""
    impact: str = ""


class QuestionRequest(Frozen):
    """One to five questions of the agent."""

    kind: Literal["question"] = "question"
    call_id: str
    title: str = ""
    body: str = ""
    questions: tuple[Question, ...]
    blocking: bool = True


class PlanReview(Frozen):
    """A plan that waits for approval. `mode_after` holds once it is approved."""

    kind: Literal["plan"] = "plan"
    call_id: str
    plan: str
    mode_after: PermissionMode = PermissionMode.EDIT
    blocking: bool = True


InputRequest = Annotated[ApprovalRequest | QuestionRequest | PlanReview, Field(discriminator="kind")]


class Answer(Frozen):
    """What a person answered.

    Approval: `allow_once`, `allow_always` (with `scope`), `reject` (with `note`; `stop_turn` ends the turn too).
    Question: `answered` with `choices` (question id to values, free text included) or `reject`.
    Plan: `allow_once` (`edited_plan` when the person changed it; `mode` when another mode than `mode_after` was chosen)
    or `reject` with `note`. `cancelled` is never a person's: the request was withdrawn.
    A secret answer is stored as the single value `(secret given)`.
    """

    outcome: Outcome
    scope: GrantScope = "once"
    choices: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    note: str = ""
    stop_turn: bool = False
    edited_input: dict[str, JsonValue] | None = None
    edited_plan: str | None = None
    mode: PermissionMode | None = None


SECRET_GIVEN = "(secret given)"


def normalise_answer(request: QuestionRequest, answer: Answer) -> Answer:
    """The answer with unknown ids dropped, values trimmed, blanks dropped, and one value kept for a single choice.

    An empty `answered` becomes `reject`: nothing was said.
    """
    if answer.outcome != "answered":
        return answer
    choices: dict[str, tuple[str, ...]] = {}
    for question in request.questions:
        values = tuple(v for raw in answer.choices.get(question.id, ()) if (v := raw.strip()))
        if values:
            choices[question.id] = values if question.multi_select else values[:1]
    if not choices and not answer.note.strip():
        return answer.model_copy(update={"outcome": "reject", "choices": {}})
    return answer.model_copy(update={"choices": choices})
