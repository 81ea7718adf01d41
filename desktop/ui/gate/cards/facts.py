"""Facts under the evidence: sandbox and network, code of the lane, where content goes, what a statement touches."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from desktop.domain.core.permissions import Category
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import ApprovalRequest, ShownSql
from desktop.language import said, tr, trn
from desktop.records import dataclass
from desktop.ui.text.format import count, local_date
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2, SPACE_4
from desktop.ui.widgets.card_parts import CardTitle
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_DIALECTS = {"postgres": "PostgreSQL", "sqlite": "SQLite", "mysql": "MySQL", "mariadb": "MariaDB", "duckdb": "DuckDB"}
MANY = 3
LANE_CODE = tr("Runs code from this lane that the agent can change")
TO_MODEL = tr("The content goes to the model")
NO_SANDBOX = tr("No sandbox on this machine")
_UNDOABLE = {"yes": tr("Can be undone: yes{until}{stays}"), "partly": tr("Can be undone: partly{until}{stays}")}
_FILES_ALONE = tr("Files of the lane can be put back{until}. The rest cannot be undone.")
"""Of a call whose badge says that it cannot be undone."""


@dataclass(frozen=True)
class Fact:
    """One line. `role`: the colour of icon and words, "muted" for what needs no attention."""

    name: str
    icon: str
    role: str
    text: str


def facts_of(request: ApprovalRequest) -> tuple[Fact, ...]:
    """What the stored fields say beside the evidence; nothing is said of a field that is not there."""
    facts: list[Fact] = []
    if request.sql is not None:
        facts += _sql_facts(request.sql)
    if request.subject == "command":
        facts.append(_sandbox(request))
        if request.allowed_like >= MANY:
            often = tr(
                "You allowed this {times} in this chat: a rule would answer it",
                times=count(request.allowed_like, "time"),
            )
            facts.append(Fact("approval_like", "history", "accent", often))
        if request.no_grant and request.no_grant not in request.reason:
            why = display_text(said(request.no_grant))
            facts.append(Fact("approval_no_grant", "info", "muted", tr("Only once: {why}", why=why)))
        if request.runs_lane_code:
            facts.append(Fact("approval_lane_code", "triangle-alert", "warning", LANE_CODE))
    if request.subject == "path" and request.category is Category.READ:
        facts.append(Fact("approval_to_model", "sparkles", "warning", TO_MODEL))
    if request.undoable:
        facts.append(_undo(request))
    return tuple(facts)


def _undo(request: ApprovalRequest) -> Fact:
    """The line that the ledger will say too: "Can be undone: yes, until 22 Dec 2026". What is always the same of
    commands is not said on each card."""
    if request.undoable == "no":
        return Fact(
            "approval_undo",
            "undo-2",
            "warning",
            tr("Can be undone: no. {undo_how}", undo_how=display_text(said(request.undo_how))).strip(),
        )
    until = (
        tr(", until {undo_until}", undo_until=local_date(request.undo_until)) if request.undo_until is not None else ""
    )
    tells = request.category is Category.EXTERNAL if request.undoable == "yes" else request.subject != "command"
    stays = f". {display_text(said(request.undo_how))}" if tells and request.undo_how else ""
    return Fact(
        "approval_undo",
        "undo-2",
        "muted",
        (_FILES_ALONE if request.irreversible else _UNDOABLE[request.undoable]).format(until=until, stays=stays),
    )


def _sandbox(request: ApprovalRequest) -> Fact:
    network = {
        "off": tr("no network"),
        "hosts": trn(len(request.hosts), "reaches {n} named host", "reaches {n} named hosts"),
    }.get(request.network, tr("network open"))
    if request.sandbox == "none":
        return Fact("approval_sandbox", "shield-x", "danger", NO_SANDBOX)
    if request.sandbox == "limited":
        return Fact("approval_sandbox", "shield", "warning", tr("Sandbox: limited · {network}", network=network))
    role = "success" if request.network == "off" else "muted"
    return Fact("approval_sandbox", "shield-check", role, tr("Sandbox: full · {network}", network=network))


def _sql_facts(sql: ShownSql) -> list[Fact]:
    parts = [_DIALECTS.get(sql.dialect, display_text(sql.dialect)), display_text(sql.target)]
    facts = [Fact("approval_sql_place", "database", "muted", text)] if (text := _joined(parts)) else []
    parts = [", ".join(map(display_text, sql.kinds)), ", ".join(map(display_text, sql.tables))]
    if text := _joined(parts):
        facts.append(Fact("approval_sql_touches", "table", "muted", text))
    if sql.fragment and sql.span == (0, 0):
        facts.append(
            Fact(
                "approval_sql_fragment",
                "info",
                "warning",
                tr("Because of: {fragment}", fragment=display_text(sql.fragment)),
            )
        )
    return facts


def _joined(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)


class FactLine(QWidget):
    """An icon and a few words that wrap where they must."""

    def __init__(self, fact: Fact, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(SPACE_1))
        icon = QLabel(self)
        icon.setPixmap(pixmap(fact.icon, fact.role, ICON_LINE, self.devicePixelRatio()))
        self.text = CardTitle(self, fact.name, fact.role)
        self.text.setFont(theme().font(CAPTION))
        self.text.set_title(fact.text)
        self.text.setAccessibleName(fact.text)
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)


class FactLines(QWidget):
    """Fact lines side by side where there is room."""

    def __init__(self, facts: tuple[Fact, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("approval_facts")
        flow = FlowLayout(self, gap_x=theme().px(SPACE_4), gap_y=theme().px(SPACE_2) // 2)
        for fact in facts:
            flow.addWidget(FactLine(fact, self))
