"""ConflictsDialog: the files in conflict of a rebase or merge that is open in a lane, both sides, and the way on."""

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import ContinueOperation, LoadConflicts, ResolveConflict
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import ConflictFile, ConflictsLoaded, LaneOperationChanged, StackRunChanged
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask, Request
from desktop.ui.lanes.stacks.conflict_sides import ConflictSides
from desktop.ui.lanes.state import operation_words
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem, PickList

_SIZE, _LIST_WIDTH, _VIEW_WIDTH = (920, 560), 240, 640
_LOADING, _NONE_OPEN = tr("Loading conflicts…"), tr("Nothing is open in this lane any more.")


class ConflictParts(Protocol):
    """What the dialog works with. `order` tells of a refusal elsewhere too."""

    order: Ask

    def ask_agent(self, found: ConflictsLoaded) -> None:
        """Begin a chat in the lane with what is known of its conflicts."""


class ConflictsDialog(Dialog):
    """Stays while the operation is open. The window can be used beside it."""

    def __init__(self, lane: Lane, parts: ConflictParts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("conflicts_dialog")
        self.setWindowTitle(tr("Conflicts in lane “{name}”", name=display_text(lane.name)))
        self._lane, self._parts = lane, parts
        self._found: ConflictsLoaded | None = None
        self._asked = Request()
        self.hearing = self._hears()
        self._title = plain_label(self, "title", "conflict_title")
        self._state = plain_label(self, "muted", "conflict_state")
        self.files = PickList("conflict_matrix", self)
        self.files.setAccessibleName(tr("Files in conflict"))
        self.sides = ConflictSides(self)
        self._base = QCheckBox(tr("Show what both come from"), self)
        self._base.setObjectName("conflict_show_base")
        self._base.toggled.connect(self.sides.show_base)
        self._ours = push_button(tr("Take this side"), "conflict_take_ours", self, lambda: self._resolve("ours"))
        self._theirs = push_button(tr("Take that side"), "conflict_take_theirs", self, lambda: self._resolve("theirs"))
        self._as_is = push_button(tr("Mark resolved"), "conflict_as_is", self, lambda: self._resolve("as_is"))
        self._as_is.setToolTip(tr("The file counts as it stands in the lane's folder now."))
        self._agent = push_button(tr("Ask the agent to resolve"), "conflict_ask_agent", self, self._on_agent)
        self._abort = push_button(tr("Abort…"), "conflict_abort", self, self._on_abort)
        self._close = push_button(tr("Close"), "conflict_close", self, self.close)
        self._continue = push_button(tr("Continue"), "conflict_continue", self, self._on_continue)
        self._continue.setProperty("kind", "primary")
        self._lay_out()
        self.files.selectionModel().currentChanged.connect(lambda *_: self._show_file())
        self._title.setText(tr("Conflicts"))
        self._fit()
        self.load()

    def load(self) -> None:
        """Read the conflicts anew."""
        say(self._state, _LOADING if self._found is None else self._state.text())
        self._send(LoadConflicts(lane_id=self._lane.id))

    def _hears(self) -> Hearing:
        hearing = Hearing().on(ConflictsLoaded, self._show).on(LaneOperationChanged, self._ended)
        return hearing.on(StackRunChanged, self._on_run)

    def _on_run(self, update: StackRunChanged) -> None:
        if update.state != "running":
            self.load()

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._state, display_text(failed.text))
        self._fit()

    # what is shown

    def _show(self, found: ConflictsLoaded) -> None:
        if found.lane_id != self._lane.id:
            return
        self._found = found
        here = self._path()
        self.files.show_items([_item(file) for file in found.files])
        at = next((row for row, file in enumerate(found.files) if file.path == here), -1)
        first = next((row for row, file in enumerate(found.files) if not file.resolved), 0)
        if at < 0 or found.files[at].resolved:
            at = first
        if found.files:
            self.files.setCurrentIndex(self.files.model().index(at, 0))
        self._say(found)
        self._show_file()

    def _say(self, found: ConflictsLoaded) -> None:
        ours, theirs = display_text(found.ours_name), display_text(found.theirs_name)
        name = display_text(self._lane.name)
        left = sum(1 for file in found.files if not file.resolved)
        if not found.operation:
            self._title.setText(tr("Lane “{name}”", name=name))
            say(self._state, _NONE_OPEN)
            return
        words = {"rebase": tr("Rebase of lane “{name}” onto {base}", name=name, base=ours)}
        self._title.setText(
            words.get(
                found.operation, tr("{operation} in lane “{name}”", operation=found.operation.capitalize(), name=name)
            )
        )
        said = (
            tr("{files} in conflict", files=count(left, "file"))
            if left
            else tr("Nothing is in conflict any more. Continue.")
        )
        say(self._state, f"{said} · {theirs}" if left and theirs else said)

    def _show_file(self) -> None:
        found, file = self._found, self._file()
        ours = display_text(found.ours_name) if found is not None else ""
        theirs = display_text(found.theirs_name) if found is not None else ""
        self.sides.show_file(file, ours, theirs)
        self._fit()

    def _fit(self) -> None:
        found, file = self._found, self._file()
        is_open = found is not None and bool(found.operation)
        unresolved = is_open and file is not None and not file.resolved
        over = "" if is_open else _NONE_OPEN if found is not None else tr("Looking at the lane…")
        none = tr("Choose a file in conflict.") if file is None else tr("This file is resolved.")
        for button in (self._ours, self._theirs, self._as_is):
            set_off(button, over or ("" if unresolved else none))
        left = found is not None and any(not one.resolved for one in found.files)
        set_off(self._continue, over or (tr("Resolve every file first.") if left else ""))
        set_off(self._abort, over)
        set_off(self._agent, over or ("" if left else tr("Nothing is in conflict any more. Continue.")))
        if found is not None:
            base = tr("Take the base's") if found.operation == "rebase" else tr("Take the other's")
            names = (base, tr("Take the lane's")) if found.operation == "rebase" else (tr("Take the lane's"), base)
            self._ours.setText(names[0])
            self._theirs.setText(names[1])

    def _ended(self, update: LaneOperationChanged) -> None:
        if update.lane_id != self._lane.id:
            return
        if not update.operation:
            self.accept()
        else:
            say(self._state, display_text(update.text))

    # what a person does

    def _resolve(self, take: str) -> None:
        file = self._file()
        if file is not None:
            values = {"lane_id": self._lane.id, "path": file.path, "take": take}
            self._send(ResolveConflict.model_validate(values))

    def _on_continue(self) -> None:
        set_off(self._continue, UNDER_WAY)
        self._send(ContinueOperation(lane_id=self._lane.id))

    def _on_abort(self) -> None:
        dialog = abort_question(self._found.operation if self._found is not None else "", self)
        abort = ContinueOperation(lane_id=self._lane.id, abort=True)
        dialog.agreed.connect(lambda: self._send(abort))
        dialog.open()

    def _on_agent(self) -> None:
        if self._found is not None:
            self._parts.ask_agent(self._found)
            self.close()

    def _send(self, command: Command) -> None:
        self._asked.drop()
        self._asked = self._parts.order(command, self, failed=self._on_failed)

    def _path(self) -> str:
        file = self._file()
        return file.path if file is not None else ""

    def _file(self) -> ConflictFile | None:
        row = self.files.currentIndex().row()
        files = self._found.files if self._found is not None else ()
        return files[row] if 0 <= row < len(files) else None

    # making

    def _lay_out(self) -> None:
        right = QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        set_gaps(column, spacing=SPACE_2)
        takes = QHBoxLayout()
        set_gaps(takes, spacing=SPACE_2)
        for widget in (self._ours, self._theirs, self._as_is):
            takes.addWidget(widget)
        takes.addStretch(1)
        takes.addWidget(self._base)
        column.addWidget(self.sides, 1)
        column.addLayout(takes)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.files)
        split.addWidget(right)
        split.setSizes([theme().px(_LIST_WIDTH), theme().px(_VIEW_WIDTH)])
        foot = QHBoxLayout()
        set_gaps(foot, spacing=SPACE_2)
        foot.addWidget(self._agent)
        foot.addStretch(1)
        for widget in (self._close, self._abort, self._continue):
            foot.addWidget(widget)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(self._title)
        layout.addWidget(self._state)
        layout.addWidget(split, 1)
        layout.addLayout(foot)
        self.resize(theme().px(_SIZE[0]), theme().px(_SIZE[1]))


def abort_question(operation: str, parent: QWidget) -> AskDialog:
    """Whether what is open is to be taken back."""
    question = Question(
        "conflict_abort_dialog",
        tr("Take the {operation} back?", operation=operation_words(operation))
        if operation
        else tr("Take the operation back?"),
        tr("The lane stands where it stood before. What was resolved so far stays in a checkpoint."),
        (tr("Keep it open"), "conflict_abort_stay"),
        (tr("Take back"), "conflict_abort_go"),
    )
    return AskDialog(question, parent)


def _item(file: ConflictFile) -> PickItem:
    state = tr("resolved", context="conflict") if file.resolved else tr("in conflict")
    below = f"{state} · {said(file.note)}" if file.note else state
    icon = "circle-check" if file.resolved else "triangle-alert"
    return PickItem(file.path, display_text(file.path), icon=icon, below=below)
