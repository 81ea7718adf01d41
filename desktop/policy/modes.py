"""The mode table: what each mode does with each category (gate 2)."""

from collections.abc import Mapping

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import Category, PermissionMode, Verdict, mode_label


class ModeRow(Frozen):
    """One cell of the table of modes: the verdict on a call, and whether people look at the call afterwards."""

    verdict: Verdict
    review_after: bool = False


_READ, _WRITE, _BASH, _EXTERNAL = Category.READ, Category.WRITE, Category.BASH, Category.EXTERNAL
_PLAN, _EDIT, _AUTO = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO
_ALLOW, _ASK, _DENY = ModeRow(verdict=Verdict.ALLOW), ModeRow(verdict=Verdict.ASK), ModeRow(verdict=Verdict.DENY)
_REVIEW = ModeRow(verdict=Verdict.ALLOW, review_after=True)

MODE_TABLE: dict[tuple[PermissionMode, Category], ModeRow] = {
    (_PLAN, _READ): _ALLOW,
    (_PLAN, _WRITE): _DENY,
    (_PLAN, _BASH): _DENY,
    (_PLAN, _EXTERNAL): _DENY,
    (_EDIT, _READ): _ALLOW,
    (_EDIT, _WRITE): _ALLOW,
    (_EDIT, _BASH): _ASK,
    (_EDIT, _EXTERNAL): _ASK,
    (_AUTO, _READ): _ALLOW,
    (_AUTO, _WRITE): _REVIEW,
    (_AUTO, _BASH): _REVIEW,
    (_AUTO, _EXTERNAL): _REVIEW,
}


def mode_row(mode: PermissionMode, category: Category, *, proven_read: bool = False) -> ModeRow:
    """The cell for a call. A command that is a proven read runs in every mode and needs no looking back."""
    return _ALLOW if category is Category.BASH and proven_read else MODE_TABLE[mode, category]


_KINDS_TOLD: Mapping[Category, str] = {
    Category.READ: "reads",
    Category.WRITE: "changes to files",
    Category.BASH: "commands",
    Category.EXTERNAL: "actions beyond this lane",
}
_FIRST_TOLD: Mapping[Category, str] = {
    Category.READ: "Reads",
    Category.WRITE: "Changes to files",
    Category.BASH: "Commands",
    Category.EXTERNAL: "Actions beyond this lane",
}
"""The same where a sentence begins with them."""


def mode_reason(mode: PermissionMode, category: Category, verdict: Verdict, *, proven_read: bool = False) -> str:
    """One sentence for a card: what this mode does with this kind of call."""
    if verdict is Verdict.ASK and category is Category.BASH:
        return f"No rule covers this command, so it asks in {mode_label(mode)} mode."
    if verdict is Verdict.ASK:
        return f"{_FIRST_TOLD[category]} ask in {mode_label(mode)} mode."
    if verdict is Verdict.DENY and category is Category.BASH:
        return f"Only commands that are shown to read run in {mode_label(mode)} mode."
    if verdict is Verdict.DENY:
        return f"{_FIRST_TOLD[category]} are not available in {mode_label(mode)} mode."
    if category is Category.BASH and proven_read:
        return "The command was shown to read only."
    return f"{mode_label(mode)} mode allows {_KINDS_TOLD[category]}."
