"""RuleFacts: everything that is known of one rule, with the button that removes it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.gate.rules_model import WRITABLE, RuleRow
from desktop.ui.settings.permissions.rule_form import can_edit
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions_rule"
_LABEL_WIDTH = 88


class RuleFacts(QFrame):
    """`edit_asked`, `remove_asked`: the person wants the rule changed or removed. Hidden while no rule is chosen."""

    edit_asked = Signal()
    remove_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setProperty("kind", "banner")
        self._row: RuleRow | None = None
        self._chip = Chip("", "neutral", self)
        self._text = plain_label(self, "mono", f"{_NAME}_text")
        self.edit = push_button(tr("Edit…"), "settings_permissions_edit", self)
        self.edit.clicked.connect(self.edit_asked)
        self.remove = push_button(tr("Remove"), "settings_permissions_remove", self)
        self.remove.clicked.connect(self.remove_asked)
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self._text, 1)
        head.addWidget(self.edit, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        set_gaps(self._grid, (0, 0, 0, 0), SPACE_1)
        self._grid.setColumnMinimumWidth(0, theme().px(_LABEL_WIDTH))
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        layout.addLayout(head)
        layout.addLayout(self._grid)
        self.hide()

    def show_row(self, row: RuleRow | None) -> None:
        """Show this rule, or nothing."""
        self.setVisible(row is not None)
        if row is None or row == self._row:
            return
        self._row = row
        self._chip.set_chip(row.chip, row.role)
        self._text.setText(row.words)
        self.setAccessibleName(f"{row.chip} {row.words}")
        rule = row.rule
        self.edit.setVisible(can_edit(rule))
        self.edit.setAccessibleName(tr("Edit {rule}", rule=row.words))
        self.remove.setVisible(rule is not None and rule.scope in WRITABLE)
        self.remove.setText(tr("Remove") if rule is not None and rule.decision == "allow" else tr("Remove…"))
        self.remove.setAccessibleName(tr("Remove {rule}", rule=row.words))
        self._fill(row)

    def _fill(self, row: RuleRow) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            label = item.widget()
            if label is not None:
                label.hide()
                label.deleteLater()
        for at, (name, text) in enumerate(row.facts):
            left = plain_label(self, "caption", wrap=False)
            left.setText(name)
            right = plain_label(self, "caption", role="danger" if name == tr("Off, because") else "")
            right.setText(text)
            self._grid.addWidget(left, at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(right, at, 1)
            left.show()
            right.show()
