"""PushLanesDialog: what a push of each branch would do on its remote, ticked, and sent as it was shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from desktop.domain.changes.commands import PlanPushes, PushLane
from desktop.domain.changes.updates import LanePushed, PlannedPush, PushesPlanned
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_command_id
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.tick_frames import TickFrames

_ROWS = 6
_INTRO = (
    "Only what is ticked is pushed, each branch to its own name on the remote. Commits there are replaced only if the "
    "branch still stands where it was last seen."
)


@dataclass
class _Row:
    """One branch. `sent`: the command under way, "" for none; `said`: what came of it."""

    push: PlannedPush
    sent: str = ""
    said: str = ""

    @property
    def can_go(self) -> bool:
        return self.push.needed and not self.push.problem and not self.sent


class PushLanesDialog(AskDialog):
    """Plans when it opens. `branch`: another branch to push instead of the lanes' own, which is never rewritten."""

    def __init__(
        self, lane_ids: tuple[str, ...], branch: str, send: Callable[[Command], None], parent: QWidget
    ) -> None:
        title = f"Push {display_text(branch)}" if branch else "Push branches"
        question = Question(
            "push_lanes_dialog",
            title,
            _INTRO,
            ("Cancel", "push_lanes_cancel"),
            ("Push", "push_lanes_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        self._lane_ids, self._branch, self._send = lane_ids, branch, send
        self._rows: list[_Row] = []
        self._renewing: dict[str, int] = {}
        self._state = plain_label(self, "", "push_lanes_state")
        self.list = QListWidget(self)
        self.list.setObjectName("push_lanes_list")
        self.list.setAccessibleName("Branches to push")
        self.list.setItemDelegate(TickFrames(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._fit)
        self.list.hide()
        self.details.addWidget(self._state)
        self.details.addWidget(self.list)
        self._ask()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take the plan, and what came of each push."""
        for update in updates:
            if isinstance(update, PushesPlanned) and update.command_id == self._planning:
                self._take(update)
            elif isinstance(update, PushesPlanned) and update.command_id in self._renewing:
                self._renewed(self._renewing.pop(update.command_id), update.pushes[0])
            elif isinstance(update, LanePushed):
                self._ended(update.command_id, update.text, done=True)
            elif isinstance(update, CommandFailed) and update.command_id == self._planning:
                say(self._state, display_text(update.text))
            elif isinstance(update, CommandFailed):
                self._ended(update.command_id, update.text, done=False, changed=update.code == "changed")

    def _ask(self) -> None:
        self._planning = new_command_id()
        say(self._state, "Looking at what would be pushed…")
        self._fit()
        self._send(PlanPushes(command_id=self._planning, lane_ids=self._lane_ids, branch=self._branch))

    def _take(self, update: PushesPlanned) -> None:
        """List them. Ticked is what the remote knows already: a branch of which it never heard is published by this."""
        self._rows = [_Row(self._allowed(one)) for one in update.pushes]
        self.list.blockSignals(True)
        self.list.clear()
        for row in self._rows:
            item = QListWidgetItem()
            item.setSizeHint(QSize(0, theme().px(SIDEBAR_ROW)))
            item.setText(self._words(row))
            item.setToolTip(item.text())
            self._set_tick(item, row, ticked=row.push.known or bool(self._branch))
            self.list.addItem(item)
        self.list.blockSignals(False)
        self.list.setFixedHeight(min(len(self._rows), _ROWS) * theme().px(SIDEBAR_ROW) + 2 * self.list.frameWidth())
        self.list.setVisible(bool(self._rows))
        told = [f"{one.remote} is {one.address}" for one in update.pushes if one.remote]
        places = display_text("\n".join(dict.fromkeys(told)))
        say(self._state, places if any(row.can_go for row in self._rows) else "There is nothing to push.")
        self._fit()
        self.adjustSize()

    def _allowed(self, push: PlannedPush) -> PlannedPush:
        if not self._branch or not push.replaced:
            return push
        words = f"{push.remote} has {count(push.replaced, 'commit')} that yours lacks. Fetch and bring them in first."
        return push.model_copy(update={"problem": words})

    def _words(self, row: _Row) -> str:
        push = row.push
        name = display_text(push.branch) or "A lane"
        to = f" → {display_text(push.remote)}" if push.remote else ""
        return f"{name}{to}\n{display_text(row.said or _stands(push))}"

    def _set_tick(self, item: QListWidgetItem, row: _Row, *, ticked: bool) -> None:
        if row.can_go:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        else:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable)
            item.setData(Qt.ItemDataRole.CheckStateRole, None)

    def _ticked(self) -> list[tuple[QListWidgetItem, _Row]]:
        items = [(self.list.item(at), self._rows[at]) for at in range(self.list.count())]
        return [(item, row) for item, row in items if row.can_go and item.checkState() is Qt.CheckState.Checked]

    def _fit(self) -> None:
        ticked = [row for _, row in self._ticked()]
        replaced = sum(row.push.replaced for row in ticked)
        words = f"Push {count(len(ticked), 'branch', 'branches')}" if ticked else "Push"
        self.go.setText(f"{words}, replace {count(replaced, 'commit')}" if replaced else words)
        self.go.setEnabled(bool(ticked))

    def _on_go(self) -> None:
        for item, row in self._ticked():
            row.sent, row.said = new_command_id(), "Pushing…"
            self._show(item, row)
            push = row.push
            self._send(
                PushLane(
                    command_id=row.sent,
                    lane_id=push.lane_id,
                    branch=self._branch,
                    force=push.replaced > 0,
                    digest=push.digest,
                )
            )
        self.stay.setText("Close")
        self._fit()

    def _ended(self, command_id: str, text: str, *, done: bool, changed: bool = False) -> None:
        """One came to its end; one that failed can be ticked again. What `changed` meanwhile is looked at anew."""
        for at, row in enumerate(self._rows):
            if row.sent and row.sent == command_id:
                row.said, row.sent = text, row.sent if done else ""
                self._show(self.list.item(at), row)
                if changed:
                    again = new_command_id()
                    self._renewing[again] = at
                    self._send(PlanPushes(command_id=again, lane_ids=(row.push.lane_id,), branch=self._branch))
        self._fit()

    def _renewed(self, at: int, push: PlannedPush) -> None:
        row = self._rows[at]
        row.push = self._allowed(push)
        row.said = f"It changed meanwhile: {_stands(row.push)}"
        self._show(self.list.item(at), row)
        self._fit()

    def _show(self, item: QListWidgetItem, row: _Row) -> None:
        self.list.blockSignals(True)
        item.setText(self._words(row))
        item.setToolTip(item.text())
        self._set_tick(item, row, ticked=False)
        self.list.blockSignals(False)


def _stands(push: PlannedPush) -> str:
    """What a push would do, in one line."""
    if push.problem:
        return push.problem
    if not push.needed:
        return "The remote has all of it."
    told = count(push.commits, "commit")
    told += f", replaces {count(push.replaced, 'commit')} there" if push.replaced else ""
    return told if push.known else f"{told}, new on the remote"
