"""DeleteLaneDialog: what deleting lanes would lose, what else goes, and the word to type before it does."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import DeleteLanes, PlanDelete
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, LaneLoss, LanesDeleted
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.core.requests import Ask, Request, answer, progress
from desktop.ui.lanes.loss_words import loss_lines, loss_short, notes_on
from desktop.ui.proofs.dialogs.keep import keep_proofs_box, offer_proofs
from desktop.ui.text.format import count, size
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem, PickList

_LISTED = 6
_READING = tr("Reading what would be lost…")
_WORKING = tr("Keeping a snapshot, then removing…")
_REFUSED = tr("It cannot be deleted now; the reason stands above.")
_BRANCH_TOO = tr("Only with the branch here.")
_INTRO = tr("It stays in “Recently deleted” for 30 days and can be restored from there.")
_INTRO_MANY = tr("They stay in “Recently deleted” for 30 days and can be restored from there.")
_UNLINK = tr("The lane leaves the list. Its folder, its files and its branch stay as they are.")
_WARNING, _NOTE = ("triangle-alert", "warning"), ("info", "muted")


class DeleteParts(Protocol):
    """What the dialog works with. `order` sends its commands, and tells of a refusal elsewhere too."""

    order: Ask

    def deleted(self, results: tuple[tuple[str, str, str], ...]) -> None:
        """Every lane is gone; offer to take it back. Each: lane id, trash id, what did not go as wished."""


class DeleteLaneDialog(AskDialog):
    """Stays open until the lanes are gone, or says of each why it is not. `lanes`: at least one; `children`: lanes that
    stack on them and can go too."""

    def __init__(
        self, lanes: Sequence[Lane], parts: DeleteParts, parent: QWidget, children: Sequence[Lane] = ()
    ) -> None:
        self._lanes, self._parts = tuple(lanes), parts
        title, text, go = _words(self._lanes)
        super().__init__(
            Question("lane_delete_dialog", title, text, (tr("Cancel"), "lane_delete_cancel"), (go, "lane_delete")),
            parent,
        )
        self._planning, self._working = Request(), True
        self._plan: DeletePlanned | None = None
        self._body: QWidget | None = None
        self._state = plain_label(self, name="lane_delete_state")
        if children:
            self.details.addWidget(self._children(tuple(children)))
        self.details.addWidget(self._state)
        self._ask_plan()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._say(display_text(failed.text))
        self._set_working(False)

    def _children(self, children: tuple[Lane, ...]) -> QCheckBox:
        alone = self._lanes
        too = QCheckBox(tr("Delete {lanes} on top of it too", lanes=count(len(children), "lane", "lanes")), self)
        too.setObjectName("lane_delete_children")
        too.setToolTip(", ".join(display_text(child.name) for child in children))

        def choose(both: bool) -> None:
            self._lanes = (*alone, *children) if both else alone
            self._ask_plan()

        too.toggled.connect(choose)
        return too

    def _ask_plan(self) -> None:
        self._working = True
        set_off(self.go, UNDER_WAY)
        self._say(_READING)
        planned = answer(DeletePlanned, self._show)
        self._planning.drop()
        self._planning = self._parts.order(PlanDelete(lane_ids=self._ids()), self, planned, failed=self._on_failed)

    def _show(self, plan: DeletePlanned) -> None:
        self._plan = plan
        self.go.setText(_words(self._lanes)[2])
        self._say("")
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
        self._body = _Body(plan, self)
        self._body.confirm.textChanged.connect(self._fit)
        self._body.confirm.returnPressed.connect(self.go.click)
        self.details.addWidget(self._body)
        self._body.show()
        self._set_working(False)
        (self._body.confirm if plan.typed else self.stay).setFocus()
        self.adjustSize()

    def _on_go(self) -> None:
        body, plan = self._body, self._plan
        if not isinstance(body, _Body) or plan is None or not self.go.isEnabled():
            return
        self._say(_WORKING)
        self._set_working(True)
        command = DeleteLanes(
            lane_ids=self._ids(),
            digest=plan.digest,
            typed=body.typed(),
            with_branch=body.branch.isChecked(),
            with_remote=body.branch.isChecked() and body.remote.isChecked(),
            keep_paths=body.kept(),
            keep_proofs=body.proofs.isChecked(),
        )
        changed = progress(DeletePlanned, self._show)
        self._parts.order(command, self, changed, answer(LanesDeleted, self._finish), failed=self._on_failed)

    def _finish(self, update: LanesDeleted) -> None:
        gone = tuple(result for result in update.results if result[1] or not result[2])
        if gone:
            self._parts.deleted(gone)
        if len(gone) == len(update.results):
            self.accept()
            return
        names = {lane.id: display_text(lane.name) for lane in self._lanes}
        self._lanes = tuple(lane for lane in self._lanes if lane.id not in {lane_id for lane_id, _, _ in gone})
        self._say(
            "\n".join(f"{names.get(i, i)}: {display_text(text)}" for i, trash, text in update.results if not trash)
        )
        self._set_working(False)
        set_off(self.go, _REFUSED)

    def _set_working(self, working: bool) -> None:
        if self._body is not None:
            set_off(self._body, UNDER_WAY if working else "")
        self.stay.setText(tr("Close") if working else tr("Cancel"))
        self._working = working
        self._fit()

    def _fit(self) -> None:
        """The button works once the word is typed, where one is asked for."""
        body, plan = self._body, self._plan
        ready = isinstance(body, _Body) and plan is not None and not self._working
        possible = plan is not None and any(not loss.refused for loss in plan.losses)
        typed = isinstance(body, _Body) and plan is not None and body.typed() == plan.typed
        waits = "" if ready else UNDER_WAY
        set_off(self.go, waits or ("" if possible else _REFUSED) or ("" if typed else tr("Type the word first.")))

    def _say(self, text: str) -> None:
        self._state.setText(text)
        self._state.setVisible(bool(text))

    def _ids(self) -> tuple[str, ...]:
        return tuple(lane.id for lane in self._lanes)


class _Body(QWidget):
    """What a plan says, with everything that can be chosen."""

    def __init__(self, plan: DeletePlanned, parent: QWidget) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(self._layout, spacing=SPACE_2)
        possible = [loss for loss in plan.losses if not loss.refused]
        if len(plan.losses) == 1:
            self._single(plan.losses[0])
        else:
            self._several(plan.losses)
        self._keep = self._ignored(possible)
        self.proofs = keep_proofs_box("lane_delete_proofs", self)
        offer_proofs(self.proofs, sum(loss.proofs for loss in possible))
        self._layout.addWidget(self.proofs)
        self.branch, self.remote = self._scopes(possible)
        self._asked, self._word = plan.typed, _word(plan)
        self.confirm = self._confirm(self._word)

    def typed(self) -> str:
        """The word that the engine asks for once the one that is shown was typed, "" before."""
        return self._asked if self.confirm.text().strip() == self._word else ""

    def kept(self) -> tuple[str, ...]:
        """The ignored files of which a copy is kept."""
        if self._keep is None:
            return ()
        items = (self._keep.item(row) for row in range(self._keep.count()))
        ticked = (item for item in items if item.checkState() is Qt.CheckState.Checked)
        return tuple(str(item.data(Qt.ItemDataRole.UserRole)) for item in ticked)

    def _single(self, loss: LaneLoss) -> None:
        if loss.refused:
            self._facts("lane_delete_refused", [display_text(said(loss.refused))], _WARNING)
            return
        if loss.unlink:
            return
        self._facts("lane_delete_losses", loss_lines(loss), _WARNING)
        if loss.files:
            self._layout.addWidget(_files(loss, self))
        if loss.nothing:
            self._facts("lane_delete_nothing", [tr("Nothing would be lost.")], ("circle-check", "success"))
        self._facts("lane_delete_notes", notes_on(loss), _NOTE)

    def _several(self, losses: Sequence[LaneLoss]) -> None:
        table = PickList("lane_delete_table", self)
        table.setAccessibleName(tr("Lanes to delete"))
        icons = {True: "octagon-x", False: "git-branch"}
        table.show_items(
            [
                PickItem(
                    key=loss.lane.id,
                    title=display_text(loss.lane.name),
                    detail=display_text(loss.lane.branch),
                    icon=icons[bool(loss.refused)],
                    below=loss_short(loss),
                )
                for loss in losses
            ]
        )
        table.setCurrentIndex(QModelIndex())
        rows = min(len(losses), _LISTED)
        table.setFixedHeight(rows * table.sizeHintForRow(0) + 2 * table.frameWidth())
        self._layout.addWidget(table)

    def _facts(self, name: str, lines: Sequence[str], look: tuple[str, str]) -> None:
        if lines:
            facts = FactList(name, tr("What would be lost"), look, self)
            facts.show_lines(lines)
            self._layout.addWidget(facts)

    def _ignored(self, losses: Sequence[LaneLoss]) -> BoxList | None:
        found = sorted({pair for loss in losses for pair in loss.ignored})
        if not found:
            return None
        title = plain_label(self, name="lane_delete_keep_title")
        title.setText(tr("Ignored files are not in the snapshot. Keep a copy of:"))
        listed = BoxList("lane_delete_keep", tr("Keep a copy of"), self, sideways=True)
        for path, bytes_ in found:
            item = QListWidgetItem(f"{display_text(path)}  {size(bytes_)}", listed)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            item.setData(Qt.ItemDataRole.UserRole, path)
        listed.fit(_LISTED)
        title.setBuddy(listed)
        self._layout.addWidget(title)
        self._layout.addWidget(listed)
        return listed

    def _scopes(self, losses: Sequence[LaneLoss]) -> tuple[QCheckBox, QCheckBox]:
        """Off at first; the remote branch only with the one here."""
        with_branch = [loss for loss in losses if not loss.unlink and not loss.branch_kept]
        first = display_text(with_branch[0].lane.branch) if with_branch else ""
        words = tr("Also delete the branch {name}", name=first)
        if len(with_branch) > 1:
            words = tr("Also delete the {branches}", branches=count(len(with_branch), "branch", "branches"))
        branch = QCheckBox(words, self)
        branch.setObjectName("lane_delete_branch")
        remotes = [display_text(loss.remote_branch) for loss in with_branch if loss.remote_branch]
        remote = QCheckBox(tr("Also on the remote: {remotes}", remotes=", ".join(remotes[:3])), self)
        remote.setObjectName("lane_delete_remote")
        set_off(remote, _BRANCH_TOO)
        branch.toggled.connect(lambda on: set_off(remote, "" if on else _BRANCH_TOO))
        branch.toggled.connect(lambda on: None if on else remote.setChecked(False))
        branch.setVisible(bool(with_branch))
        remote.setVisible(bool(remotes))
        self._layout.addWidget(branch)
        self._layout.addWidget(remote)
        return branch, remote

    def _confirm(self, typed: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName("lane_delete_confirm")
        label = plain_label(self, name="lane_delete_type")
        label.setText(tr("Type “{word}” to delete.", word=display_text(typed)))
        label.setBuddy(field)
        field.setAccessibleName(label.text())
        field.setPlaceholderText(display_text(typed))
        for widget in (label, field):
            widget.setVisible(bool(typed))
            self._layout.addWidget(widget)
        return field


def _word(plan: DeletePlanned) -> str:
    """The word to type: the name of the one lane, else one of the language."""
    return tr("delete", context="the word to type") if plan.typed and len(plan.losses) > 1 else plan.typed


def _files(loss: LaneLoss, parent: QWidget) -> QPlainTextEdit:
    lines = [display_text(path) for path in loss.files]
    if loss.file_count > len(lines):
        lines.append(tr("… and {files}", files=count(loss.file_count - len(lines), "more file", "more files")))
    shown = QPlainTextEdit("\n".join(lines), parent)
    shown.setObjectName("lane_delete_files")
    shown.setAccessibleName(tr("Files that are not committed"))
    shown.setReadOnly(True)
    shown.setTabChangesFocus(True)
    shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    shown.setFont(theme().mono())
    around = 2 * (shown.frameWidth() + round(shown.document().documentMargin()))
    shown.setFixedHeight((min(_LISTED, len(lines)) + 1) * shown.fontMetrics().lineSpacing() + around)
    return shown


def _words(lanes: Sequence[Lane]) -> tuple[str, str, str]:
    """Title, sentence and the button's label."""
    if len(lanes) > 1:
        return (
            tr("Delete {number} lanes?", number=number(len(lanes))),
            _INTRO_MANY,
            tr("Delete lanes"),
        )
    name = display_text(lanes[0].name)
    if lanes[0].type == "attached":
        return tr("Unlink lane “{name}”?", name=name), _UNLINK, tr("Unlink")
    return tr("Delete lane “{name}”?", name=name), _INTRO, tr("Delete lane")
