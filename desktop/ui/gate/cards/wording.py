"""What cards say: titles and chips from category, blocks and risk flags, never from a tool's name."""

from desktop.domain.core.content import CodeBlock, DiffBlock
from desktop.domain.core.permissions import Category
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.gate.pending import (
    GIT_SETTINGS_KEY,
    ApprovalRequest,
    CredentialRequest,
    InputRequest,
    PictureReview,
    PlanReview,
    QuestionRequest,
    Risk,
    RiskFlag,
    ShownSql,
    is_ours,
    is_verbatim_title,
)
from desktop.domain.skills.review import SkillReview
from desktop.language import ENGLISH, said, tr, worn
from desktop.records import dataclass
from desktop.ui.text.call_titles import call_title

_CHIPS: dict[RiskFlag, tuple[str, str]] = {
    "changes_data": (tr("changes data"), "warning"),
    "changes_schema": (tr("changes schema"), "warning"),
    "leaves_computer": (tr("leaves this computer"), "warning"),
    "outside_lane": (tr("outside the lane"), "warning"),
    "protected": (tr("protected"), "warning"),
    "irreversible": (tr("irreversible"), "danger"),
    "production": (tr("production"), "danger"),
    "not_proven": (tr("not proven read-only"), "warning"),
}
_SQL_FLAGS: dict[str, RiskFlag] = {
    "write": "changes_data",
    "destructive": "changes_data",
    "schema": "changes_schema",
    "opaque": "not_proven",
}
_RISKS: dict[Risk, tuple[str, str]] = {
    "low": (tr("low risk"), "neutral"),
    "medium": (tr("medium risk"), "warning"),
    "high": (tr("high risk"), "danger"),
    "irreversible": (tr("high risk"), "danger"),
}
_THIS = "This path"
_EFFECTS = {
    "DELETE": tr("Delete from"),
    "INSERT": tr("Insert into"),
    "REPLACE": tr("Replace in"),
    "MERGE": tr("Merge into"),
    "COPY": tr("Copy into"),
    "UPDATE": tr("Update", context="rows of a table"),
}
_BUTTON_CHARS = 48
EDITED = tr("edited by you")
_CATEGORIES = {
    Category.READ: tr("read", context="kind of a call"),
    Category.WRITE: tr("write", context="kind of a call"),
    Category.BASH: tr("command"),
    Category.EXTERNAL: tr("outside this computer"),
}


@dataclass(frozen=True)
class Title:
    """A card's title and the part of it that names the target ("" where nothing stands out)."""

    text: str
    bold: str = ""


def is_sql(request: ApprovalRequest) -> bool:
    """Whether the evidence is an SQL statement."""
    return request.sql is not None or any(
        isinstance(block, CodeBlock) and block.language == "sql" for block in request.card.blocks
    )


def title_of(request: InputRequest, lane: str) -> Title:
    """The title of an open input's card. `lane`: the shown chat's, used when the request names none."""
    if isinstance(request, QuestionRequest):
        several = len(request.questions) > 1  # each page then says its own
        header = request.title or ("" if several else request.questions[0].header)
        return Title(prose_text(said(header) if is_ours(request) else header) or tr("The agent asks"))
    if not isinstance(request, ApprovalRequest):
        return _other_title(request)
    if request.sql is not None and request.sql.connection:
        connection = display_text(request.sql.connection)
        return Title(tr("Run SQL on {connection}?", connection=connection), connection)
    if request.subject == "mcp":
        tool = display_text(request.card.title)
        return Title(tr("Call {tool}?", tool=tool), tool)
    place = display_text(request.lane or lane)
    if request.category is Category.BASH and not is_sql(request) and place:
        return Title(tr("Run a command in {place}?", place=place), place)
    paths = {block.path for block in request.card.blocks if isinstance(block, DiffBlock)}
    if request.category is Category.WRITE and len(paths) == 1:
        path = display_text(paths.pop())
        return Title(tr("Change {path}?", path=path), path)
    stored = display_text(request.card.title).rstrip("?")
    before, gap, target = stored.partition(" ") if request.subject == "path" else stored.rpartition(" on ")
    shown = request_title(request).rstrip("?") + "?"
    return Title(shown, target if gap and before and target in shown else "")


def _other_title(request: PlanReview | PictureReview | CredentialRequest | SkillReview) -> Title:
    if isinstance(request, PictureReview):
        return Title(tr("Send this picture of your screen?"))
    if isinstance(request, CredentialRequest):
        provider = display_text(request.provider)
        return Title(tr("Give a secret for {provider}?", provider=provider), provider)
    if isinstance(request, SkillReview):
        skill_id = display_text(request.skill_id)
        return Title(tr("Install the skill {skill_id}?", skill_id=skill_id), skill_id)
    return Title(tr("Review the plan"))


def short_title(request: InputRequest) -> str:
    """What waits, in a few words, for announcements: the stored title, or the question's."""
    if isinstance(request, ApprovalRequest):
        return request_title(request)
    return title_of(request, "").text


def request_title(request: ApprovalRequest) -> str:
    """The title of the call that is asked about, as it may be shown."""
    title = request.card.title if is_verbatim_title(request) else call_title(request.card.title)
    return display_text(title) or tr("Unknown request")


def chips_of(request: InputRequest) -> tuple[tuple[str, str], ...]:
    """The words of the risk flags, each with its colour role."""
    if not isinstance(request, ApprovalRequest):
        return ()
    flags = list(request.risk_flags)
    flags += [flag for flag in _flags_of_sql(request.sql) if flag not in flags]
    if (request.irreversible or request.risk == "irreversible") and "irreversible" not in flags:
        flags.append("irreversible")
    chips = [_CHIPS[flag] for flag in flags]
    return ((EDITED, "accent"), *chips) if request.edited_from else tuple(chips)


def risk_of(request: InputRequest) -> tuple[str, str]:
    """The risk in words and its colour role; ("", "") where none was judged or a chip says it."""
    if not isinstance(request, ApprovalRequest) or request.subject == "other":
        return "", ""
    return _RISKS[request.risk]


def _flags_of_sql(sql: ShownSql | None) -> tuple[RiskFlag, ...]:
    if sql is None:
        return ()
    flag = _SQL_FLAGS.get(sql.class_)
    found: list[RiskFlag] = [flag] if flag else []
    return (*found, "production") if sql.production else tuple(found)


def category_word(category: Category) -> str:
    """A category as people read it."""
    return _CATEGORIES[category]


def once_text(request: ApprovalRequest) -> str:
    """The words on the button that allows this one call."""
    if request.irreversible:
        return _cut(effect_text(request))
    return tr("Run once") if request.category is Category.BASH or is_sql(request) else tr("Allow once")


def effect_text(request: ApprovalRequest) -> str:
    """What an approved call does, in a few words: "Drop table orders", "Delete from sessions"; else its title."""
    sql = request.sql
    if sql is None or not sql.kinds:
        return request_title(request)
    if len(sql.kinds) > 1 or not sql.tables:
        return tr("Run on {connection}", connection=display_text(sql.connection)) if sql.connection else tr("Run it")
    kind = display_text(sql.kinds[0])
    verb = _EFFECTS.get(kind.upper(), kind.capitalize() if worn() == ENGLISH else kind.upper())
    more = tr(" and {value} more", value=len(sql.tables) - 1) if len(sql.tables) > 1 else ""
    return f"{verb} {display_text(sql.tables[0])}{more}"


def _cut(text: str) -> str:
    return text if len(text) <= _BUTTON_CHARS else f"{text[: _BUTTON_CHARS - 1]}…"


def session_text(request: ApprovalRequest) -> str:
    """The words on the button that allows calls like this until the chat is closed."""
    if (request.remember_key or "").startswith(GIT_SETTINGS_KEY):
        return tr("Accept these settings")
    if host := next((offer.host for offer in request.grants if offer.host), ""):
        return _cut(tr("Allow {host} in this chat", host=display_text(host)))
    if request.network == "hosts":
        return tr("Allow hosts in this chat")
    return tr("Allow writes in this chat") if request.category is Category.WRITE else tr("Allow in this chat")


def icon_of(request: InputRequest, *, interrupted: bool = False) -> tuple[str, str]:
    """The card's icon and the colour role of icon and bar. `interrupted`: a restart closed it."""
    if interrupted:
        return "pause", "warning"
    if isinstance(request, QuestionRequest):
        return "message-circle-question-mark", "accent"
    if isinstance(request, PictureReview):
        return "image", "warning"
    if isinstance(request, CredentialRequest):
        return "key", "warning"
    if isinstance(request, SkillReview):
        return "book-open", "warning"
    danger = isinstance(request, ApprovalRequest) and request.irreversible
    return "shield-alert", "danger" if danger else "warning"


def is_warned(request: ApprovalRequest) -> bool:
    """Whether a warning says the reason of a request already, with "This path" for the name in its title."""
    tails = (text.removeprefix(_THIS) for text in request.warnings if text.startswith(_THIS))
    return any(request.reason.endswith(tail) for tail in tails)
