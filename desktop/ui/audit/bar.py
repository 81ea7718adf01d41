"""The head of the Audit tab: counts, filters, and what can be done with the record as a whole."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.audit.fold import DECISIONS, AuditRow
from desktop.ui.audit.model import LEFT, TO_REVIEW
from desktop.ui.audit.words import counts_text
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_ANY_DECISION, _ANY_RULE = tr("Any decision"), tr("Any rule")
_LEAST_CHARS = 8


class AuditBar(QWidget):
    """`filtered`: the choices changed; the others say what a person wants done."""

    filtered = Signal()
    verify_asked = Signal()
    copy_asked = Signal()
    export_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("audit_bar")
        self._verifying = False
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, 0, SPACE_3, 0), SPACE_2)
        self._counts = plain_label(self, "muted", "audit_counts")
        column.addWidget(self._counts)
        column.addLayout(self._build_top())
        self.said = plain_label(self, "muted", "audit_said")
        self.said.setVisible(False)
        column.addWidget(self.said)
        self.text = QLineEdit(self)
        self.text.setObjectName("audit_filter")
        self.text.setAccessibleName(tr("Filter decisions"))
        self.text.setPlaceholderText(tr("Filter by text, host, decision, rule or person"))
        add_clear_button(self.text)
        self.text.textChanged.connect(lambda _text: self.filtered.emit())
        column.addWidget(self.text)
        choices = QHBoxLayout()
        set_gaps(choices, spacing=SPACE_2)
        self._decision = self._box(
            "audit_decision", tr("Decision"), [_ANY_DECISION, *DECISIONS.values(), TO_REVIEW, LEFT]
        )
        self._rule = self._box("audit_rule", tr("Rule"), [_ANY_RULE])
        choices.addWidget(self._decision, 6)
        choices.addWidget(self._rule, 5)
        column.addLayout(choices)

    @property
    def decision(self) -> str:
        """The chosen decision, "" for any."""
        return self._decision.currentText() if self._decision.currentIndex() > 0 else ""

    @property
    def rule(self) -> str:
        """The chosen rule, "" for any."""
        return self._rule.currentText() if self._rule.currentIndex() > 0 else ""

    def show_rows(self, rows: Sequence[AuditRow]) -> None:
        """Count these, and offer their rules."""
        self._counts.setText(counts_text(rows))
        rules = sorted({row.rule for row in rows if row.rule})
        if rules != [self._rule.itemText(at) for at in range(1, self._rule.count())]:
            chosen = self.rule
            before = self._rule.blockSignals(True)
            self._rule.clear()
            self._rule.addItems([_ANY_RULE, *rules])
            self._rule.setCurrentIndex(max(0, self._rule.findText(chosen) if chosen else 0))
            self._rule.blockSignals(before)
            if self.rule != chosen:
                self.filtered.emit()

    def show_reviews(self) -> None:
        """Show what is to be looked back on, whatever was chosen before."""
        self.clear()
        self._decision.setCurrentText(TO_REVIEW)

    def clear(self) -> None:
        """Show everything again."""
        self.text.clear()
        self._decision.setCurrentIndex(0)
        self._rule.setCurrentIndex(0)

    def say(self, text: str, role: str = "") -> None:
        """A line that stays until the next one; "" takes it away. `role`: danger or success."""
        self.said.setText(display_text(text))
        self.said.setVisible(bool(text))
        restyle(self.said, kind="" if role else "muted", role=role)

    def set_verifying(self, under_way: bool) -> None:
        """Whether the record is being checked now; then it is not asked for again. The button keeps the focus."""
        self._verifying = under_way
        self._verify.setText(tr("Verifying…") if under_way else tr("Verify"))

    def _build_top(self) -> QHBoxLayout:
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_1)
        self._verify = push_button(tr("Verify"), "audit_verify", self)
        self._verify.setToolTip(tr("Check that no record of this chat was changed, removed or exchanged"))
        self._verify.clicked.connect(self._ask_verify)
        copy = IconButton("copy", tr("Copy as text"), self)
        copy.setObjectName("audit_copy")
        copy.clicked.connect(lambda: self.copy_asked.emit())
        export = IconButton("external-link", tr("Export JSONL… (secrets are removed)"), self)
        export.setObjectName("audit_export")
        export.clicked.connect(lambda: self.export_asked.emit())
        row.addWidget(self._verify)
        row.addWidget(copy)
        row.addWidget(export)
        row.addStretch(1)
        return row

    def _ask_verify(self) -> None:
        if not self._verifying:
            self.verify_asked.emit()

    def _box(self, name: str, label: str, items: Sequence[str]) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName(name)
        box.setAccessibleName(label)
        box.addItems(list(items))
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_LEAST_CHARS)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        box.currentIndexChanged.connect(lambda _at: self.filtered.emit())
        return box
