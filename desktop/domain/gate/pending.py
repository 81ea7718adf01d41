"""Pending inputs: what waits for a person (approval, question, plan), and the person's answer."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, RuleHit
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.sandbox import SandboxLevel
from desktop.domain.skills.review import SkillReview

RiskFlag = Literal[
    "changes_data",
    "changes_schema",
    "leaves_computer",
    "outside_lane",
    "protected",
    "irreversible",
    "production",
    "not_proven",
]
Risk = Literal["low", "medium", "high", "irreversible"]
Subject = Literal["command", "edit", "sql", "path", "external", "mcp", "other"]
GrantScope = Literal["once", "session", "project"]
EditKind = Literal["text", "integer", "number", "boolean", "choice", "json"]
Outcome = Literal["allow_once", "allow_always", "reject", "answered", "cancelled"]


GIT_SETTINGS_KEY = "git-settings:"
"""Begins the remember key of a grant that accepts a repository's settings of Git; their hash follows."""


class GrantOffer(Frozen):
    """One way to allow a call. `covers` says in words exactly what it allows and for how long. `tokens`: the word
    prefixes of the rules it would make, one for each command that no rule covers; `host`: the host that its rule would
    name; `hosts`: those that its rules would let commands reach."""

    scope: GrantScope
    covers: str
    tokens: tuple[tuple[str, ...], ...] = ()
    host: str = ""
    hosts: tuple[str, ...] = ()


class NetworkOffer(Frozen):
    """The same command with the hosts that it needs. `edited_input`: its arguments like that; `digest`: what a yes to
    it is bound to; `says`: what the card of that call says more; `grants`: rules for the hosts beside the one yes."""

    hosts: tuple[str, ...]
    edited_input: dict[str, JsonValue]
    digest: str
    says: tuple[str, ...] = ()
    grants: tuple[GrantOffer, ...] = ()


class ShownCommand(Frozen):
    """One simple command of a line, as the program would get its words. `start`, `end`: its characters in the line.

    `state`: it was shown to read only, a rule covers it, or it is why the card asks (`reason` says so).
    """

    words: tuple[str, ...]
    start: int = 0
    end: int = 0
    state: Literal["read", "rule", "asks"] = "asks"
    reason: str = ""


class ShownSql(Frozen):
    """The facts that a card shows beside a text of SQL. `class_`: the words of the judgement (`write`, `destructive`,
    …); `span`: the characters of `fragment` in the text, (0, 0) where it has no place."""

    connection: str
    dialect: str
    target: str = ""
    production: bool = False
    kinds: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    class_: str = ""
    fragment: str = ""
    span: tuple[int, int] = (0, 0)


class EditField(Frozen):
    """The control with which a person edits one argument of a call. `choices`: all it can be, of kind `choice`.
    `least`, `most`: bounds of a number, None where there is none. `optional`: it can be nothing. `json`: what no simple
    control can hold."""

    name: str
    kind: EditKind = "json"
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    optional: bool = False
    about: str = ""


class ApprovalRequest(Frozen):
    """A call that waits for a person's yes, with everything its card shows, frozen at the time of asking.

    `digest` is what the consent is bound to. `rule` and `reason` say why it asks. `blocking` False: the call already
    ran and the record is for looking back (it never waits, is never in the tray). `head`: the lane's commit, "" if
    unknown. `confirm_word`: what must be typed when `irreversible`. `source`: the agent's own words about the call,
    never a title. `arguments`: as validated; `editable` names those a person may change, `fields` says how each is
    typed; `edited_from`: the digest of
    the agent's own version when these are a person's. `warnings`: lines about characters and the like that mislead.
    `tainted`: what untrusted or secret things the session has read. `report_id`: the sandbox report then in force.
    `hosts`: what it may reach where `network` is that; `network_offer`: it can be run with hosts too.
    `would_not_ask`: what would have let it run without asking.
    `allowed_like`: how often at least a person allowed one like it in this chat, each once.
    `no_grant`: what keeps a command from being allowed for longer than once, naming the word, "" where it can be.
    `can_try`: its command can be tried in a copy of the lane first.
    `undoable`: whether a
    person could take it back afterwards, "" where it changes nothing; `undo_how` says how, or why not, `undo_until` how
    long, None: no end. `verbatim`: no letter of the card's title may differ, as it is a command or words of others.
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
    no_grant: str = ""
    allowed_like: int = 0
    remember_key: str | None = None
    risk_flags: tuple[RiskFlag, ...] = ()
    irreversible: bool = False
    confirm_word: str = ""
    asker: str = "Agent"
    source: str = ""
    lane: str = ""
    cwd: str = ""
    head: str = ""
    sandbox: SandboxLevel = "none"
    blocking: bool = True
    subject: Subject = "other"
    risk: Risk = "low"
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    editable: tuple[str, ...] = ()
    fields: tuple[EditField, ...] = ()
    edited_from: str = ""
    commands: tuple[ShownCommand, ...] = ()
    runs_lane_code: bool = False
    network: Literal["off", "hosts", "open"] = "open"
    hosts: tuple[str, ...] = ()
    network_offer: NetworkOffer | None = None
    report_id: str = ""
    sql: ShownSql | None = None
    preview: EffectPreview | None = None
    warnings: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()
    would_not_ask: str = ""
    can_try: bool = False
    undoable: Literal["", "yes", "partly", "no"] = ""
    undo_how: str = ""
    undo_until: datetime | None = None
    verbatim: bool = False


class Option(Frozen):
    """One choice for the answer to a question. `value` is what the agent gets; `preview` is shown while the option has
    the focus."""

    label: str
    value: str
    description: str = ""
    recommended: bool = False
    preview: str = ""
    preview_format: Literal["markdown", "text", "html"] = "markdown"


class Question(Frozen):
    """One question of the agent. Without options it asks for free text."""

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
    """One to five questions of the agent. `during`: the call does more than ask, and goes on with the answer."""

    kind: Literal["question"] = "question"
    call_id: str
    title: str = ""
    body: str = ""
    questions: tuple[Question, ...]
    blocking: bool = True
    during: bool = False


class PlanReview(Frozen):
    """A plan that waits for approval. `mode_after` holds once it is approved."""

    kind: Literal["plan"] = "plan"
    call_id: str
    plan: str
    mode_after: PermissionMode = PermissionMode.EDIT
    blocking: bool = True


class PictureReview(Frozen):
    """A picture of the screen that was taken and waits to be sent: a person can crop it, hide parts, or not send it.
    It is kept nowhere before. Sides in pixels; `scale`: of them for one of the screen's own. `title`: the agent's."""

    kind: Literal["picture"] = "picture"
    call_id: str
    target: Literal["window", "desktop"]
    title: str = ""
    width: int
    height: int
    scale: int = 1
    screen: str = ""
    blocking: bool = True


class KeptSecret(Frozen):
    """A secret that is kept, as a person knows it."""

    secret_id: str
    title: str


class CredentialRequest(Frozen):
    """A secret that the agent asks for: a person types it on a card, and the agent gets a name for it alone.

    `label`, `why`: the agent's words; `names`: the variables as which it means to use it, `hosts`: to which it means to
    send it, proposals. `placeholder`: how such a secret begins. `tainted`: as of an approval. The answer of a person
    holds the id of what was kept. `skill`, `secret`: it is to be what this skill calls so, from then on; `kept`: those
    that may be chosen then instead of a new one.
    """

    kind: Literal["credential"] = "credential"
    call_id: str
    provider: str
    label: str = ""
    why: str = ""
    placeholder: str = ""
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    skill: str = ""
    secret: str = ""
    kept: tuple[KeptSecret, ...] = ()
    asker: str = "Agent"
    tainted: tuple[str, ...] = ()
    blocking: bool = True


InputRequest = Annotated[
    ApprovalRequest | QuestionRequest | PlanReview | PictureReview | CredentialRequest | SkillReview,
    Field(discriminator="kind"),
]


def credential_title(request: CredentialRequest) -> str:
    """The title of a request for a secret in one line."""
    return f"Secret for {request.provider}"


def picture_title(request: PictureReview) -> str:
    """The title of a picture in one line."""
    return "Picture of the screen, for one window" if request.target == "window" else "Picture of the whole screen"


class Answer(Frozen):
    """The answer of a person to a card.

    Approval: `allow_once` (`edited_input` when the person changed the call, whose digest then is that of CheckEdit),
    `allow_always` (with `scope` and the `tokens` of the rules to make; with `edited_input` for hosts alone), `reject`
    (with `note`; `stop_turn` ends the turn too). `confirm`: the word that was typed. `despite_declined`: save a rule
    that declined calls would match.
    `effect`: the digest of what its command did in a copy, which is done instead of running it; only by ApplyEffect.
    Question: `answered` with `choices` (question id to values, free text included) or `reject`.
    Plan: `allow_once` (`edited_plan` when the person changed it; `mode` full auto when they chose it in place of
    `mode_after`, with `without_sandbox` when they saw what the sandbox does not stop) or `reject` with `note`.
    Picture: `allow_once` with the part that is sent (`crop`: left, top, width, height in its pixels, None: all) and the
    parts that are painted over (`blanks`), or `reject` with `note`.
    Credential: `answered` with the id of the secret as the choice `secret`, which the engine makes itself when it has
    kept what was typed, or `reject` with `note`.
    Skill: `allow_once`, which binds the bytes of the review, or `reject` with `note`.
    `cancelled` is never a person's: the request was withdrawn.
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
    without_sandbox: bool = False
    tokens: tuple[tuple[str, ...], ...] = ()
    confirm: str = ""
    despite_declined: bool = False
    crop: tuple[int, int, int, int] | None = None
    blanks: tuple[tuple[int, int, int, int], ...] = ()
    effect: str = ""


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


def is_command(request: InputRequest) -> bool:
    """Whether the title of a request is the command itself."""
    return isinstance(request, ApprovalRequest) and request.subject == "command"


def is_verbatim_title(request: InputRequest) -> bool:
    """Whether no letter of the title of a request may differ: a command, or words of others."""
    if isinstance(request, QuestionRequest):
        return not is_ours(request)
    return isinstance(request, ApprovalRequest) and (request.verbatim or request.subject in ("command", "mcp"))


def is_ours(request: QuestionRequest) -> bool:
    """Whether the program asks, about a call or an agent, and not the agent."""
    return request.during or not request.call_id


def cannot_be_shown(request: InputRequest) -> str:
    """Why a request can be answered in a window only, "" if text shows all of it."""
    if isinstance(request, PictureReview):
        return "The picture cannot be shown without a window."
    if isinstance(request, CredentialRequest):
        return "A secret is given in a window of Banksman only."
    if isinstance(request, SkillReview):
        return "The files of a skill cannot be shown without a window."
    return ""


def input_title(request: InputRequest) -> str:
    """One line that names a request in lists."""
    if isinstance(request, ApprovalRequest):
        return request.card.title
    if isinstance(request, PlanReview):
        return "Plan to review"
    if isinstance(request, PictureReview):
        return picture_title(request)
    if isinstance(request, CredentialRequest):
        return credential_title(request)
    if isinstance(request, SkillReview):
        return f"Install the skill {request.skill_id}"
    first = request.questions[0]
    return first.header or request.title or first.text
