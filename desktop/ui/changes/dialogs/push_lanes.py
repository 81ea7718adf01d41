"""PushLanesDialog: what a push of each branch would do on its remote, ticked, and sent as it was shown."""

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from desktop.domain.changes.commands import PlanPushes, PushLane
from desktop.domain.changes.updates import LanePushed, PlannedPush, PushesPlanned
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.requests import Ask, answer
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

_ROWS = 6
_INTRO = tr(
    "Only what is ticked is pushed, each branch to its own name on the remote. Commits there are replaced only if the "
    "branch still stands where it was last seen."
)


@dataclass
class _Row:
    """One branch. `sent`: it is under way, or was pushed; `said`: what came of it."""

    push: PlannedPush
    sent: bool = False
    said: str = ""

    @property
    def can_go(self) -> bool:
        return self.push.needed and not self.push.problem and not self.sent


class PushLanesDialog(AskDialog):
    """Plans when it opens. `branch`: another branch to push instead of the lanes' own, which is never rewritten."""

    def __init__(self, lane_ids: tuple[str, ...], branch: str, ask: Ask, parent: QWidget) -> None:
        title = tr("Push {branch}", branch=display_text(branch)) if branch else tr("Push branches")
        question = Question(
            "push_lanes_dialog",
            title,
            _INTRO,
            (tr("Cancel"), "push_lanes_cancel"),
            (tr("Push"), "push_lanes_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        self._lane_ids, self._branch, self._ask = lane_ids, branch, ask
        self._rows: list[_Row] = []
        self._state = plain_label(self, "", "push_lanes_state")
        self.list = BoxList("push_lanes_list", tr("Branches to push"), self)
        self.list.itemChanged.connect(self._fit)
        self.list.hide()
        self.details.addWidget(self._state)
        self.details.addWidget(self.list)
        self._plan()

    def _plan(self) -> None:
        say(self._state, tr("Looking at what would be pushed…"))
        self._fit()
        command = PlanPushes(lane_ids=self._lane_ids, branch=self._branch)
        self._ask(command, self, answer(PushesPlanned, self._take), failed=self._on_no_plan)

    def _on_no_plan(self, failed: CommandFailed) -> None:
        say(self._state, display_text(failed.text))

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
        self.list.fit(_ROWS)
        self.list.setVisible(bool(self._rows))
        told = [
            tr("{remote} is {address}", remote=one.remote, address=one.address) for one in update.pushes if one.remote
        ]
        places = display_text("\n".join(dict.fromkeys(told)))
        say(self._state, places if any(row.can_go for row in self._rows) else tr("There is nothing to push."))
        self._fit()
        self.adjustSize()

    def _allowed(self, push: PlannedPush) -> PlannedPush:
        if not self._branch or not push.replaced:
            return push
        words = tr(
            "{remote} has {commits} that yours lacks. Fetch and bring them in first.",
            remote=push.remote,
            commits=count(push.replaced, "commit"),
        )
        return push.model_copy(update={"problem": words})

    def _words(self, row: _Row) -> str:
        push = row.push
        name = display_text(push.branch) or tr("A lane")
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
        words = tr("Push {branches}", branches=count(len(ticked), "branch", "branches")) if ticked else tr("Push")
        self.go.setText(
            tr("{push}, replace {commits}", push=words, commits=count(replaced, "commit")) if replaced else words
        )
        set_off(self.go, "" if ticked else tr("Tick what is to be pushed."))

    def _on_go(self) -> None:
        for item, row in self._ticked():
            row.sent, row.said = True, tr("Pushing…")
            self._show(item, row)
            self._push(row)
        self.stay.setText(tr("Close"))
        self._fit()

    def _push(self, row: _Row) -> None:
        push = row.push
        force = push.replaced > 0
        command = PushLane(lane_id=push.lane_id, branch=self._branch, force=force, digest=push.digest)
        pushed = answer(LanePushed, partial(self._on_pushed, row))
        self._ask(command, self, pushed, failed=partial(self._on_failed, row))

    def _on_pushed(self, row: _Row, update: LanePushed) -> None:
        row.said = update.text
        self._show_row(row)

    def _on_failed(self, row: _Row, failed: CommandFailed) -> None:
        """One that failed can be ticked again. What changed meanwhile is looked at anew."""
        row.said, row.sent = failed.text, False
        self._show_row(row)
        if failed.code == "changed":
            again = PlanPushes(lane_ids=(row.push.lane_id,), branch=self._branch)
            self._ask(again, self, answer(PushesPlanned, partial(self._on_renewed, row)))

    def _on_renewed(self, row: _Row, update: PushesPlanned) -> None:
        row.push = self._allowed(update.pushes[0])
        row.said = tr("It changed meanwhile: {state}", state=_stands(row.push))
        self._show_row(row)

    def _show_row(self, row: _Row) -> None:
        at = next(at for at, one in enumerate(self._rows) if one is row)
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
        return tr("The remote has all of it.")
    told = [count(push.commits, "commit")]
    told += [tr("replaces {commits} there", commits=count(push.replaced, "commit"))] if push.replaced else []
    told += [] if push.known else [tr("new on the remote")]
    return ", ".join(told)
