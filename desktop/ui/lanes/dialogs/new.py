"""NewLaneDialog: a name, what the lane begins at, and whether a chat starts in it."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from desktop.domain.core.errors import LaneError
from desktop.domain.core.ids import new_lane_id
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import CreateLane, LoadLaneBases, LoadLaneFile, StartFrom
from desktop.domain.lanes.names import NAME_MAX_CHARS, checked_name, lane_slug
from desktop.domain.lanes.updates import LaneBase, LaneBasesListed, LaneCreated, LaneFileLoaded
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import answer, progress
from desktop.ui.lanes.base_words import DEFAULT, NONE, base_items, behind_words, branch_items, parent_items
from desktop.ui.lanes.host import LaneHost
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.form import LaneForm

_LIST_HEIGHT = 108
_WHERE = tr("The lane begins where your checkout stands. Staged and unstaged changes are both taken.")
_NOTHING = tr("Nothing in your checkout is uncommitted.")
_READING = tr("Reading branches…")
_FETCHING = tr("Fetching…")
_BEHIND = "behind"


class NewLaneDialog(LaneForm):
    """Stays open until the lane is there, or says why it is not. `parent_id`: the lane it stacks on, "" for none."""

    def __init__(self, host: LaneHost, parent_id: str = "") -> None:
        super().__init__("lane_dialog", tr("New lane"), (tr("Create lane"), "lane_create"), host.window)
        self._host, self._lane_id = host, new_lane_id()
        self._listed: LaneBasesListed | None = None
        self._start = "base"
        self.name = QLineEdit(self)
        self.name.setObjectName("lane_name")
        self.name.setAccessibleName(tr("Name of the lane"))
        self.name.setMaxLength(NAME_MAX_CHARS)
        self.name.setPlaceholderText(tr("What it is for"))
        self._branch = self.words("lane_branch")
        self._choice = Segmented(
            "lane_start",
            tr("Start from"),
            [("base", tr("Base")), ("changes", tr("My uncommitted changes")), ("branch", tr("Existing branch"))],
            self,
        )
        self._make_fields()
        self.name.textChanged.connect(self._refresh)
        self._choice.chosen.connect(self._on_start)
        self.submitted.connect(self._on_submitted)
        self.parent_lane.set_items(parent_items(host.lanes()))
        self.parent_lane.set_value(parent_id or NONE)
        self.name.setFocus()
        self._on_start("base")
        self.hearing = Hearing().on(LaneFileLoaded, self._on_file)
        bases = progress(LaneBasesListed, self._take)
        host.requests.ask(LoadLaneBases(), self, bases, failed=self._on_failed)
        host.requests.send(LoadLaneFile())

    def _on_file(self, update: LaneFileLoaded) -> None:
        self.setup.setVisible(update.trusted and update.sets_up)

    # making

    def _make_fields(self) -> None:
        self.add_field(tr("Name"), self.name, self._branch)
        self.add_field(tr("Start from"), self._choice)
        self.base = ChoiceButton("lane_base", tr("Base"), self)
        self._base_note = self.words("lane_base_note", "caption")
        self.behind = _tick("", "lane_allow_behind", self, on=False)
        self._base_field = self.add_field(tr("Base"), self.base, self._base_note, self.behind)
        self._note = self.words("lane_changes_words")
        self._files = BoxList("lane_changes", tr("Uncommitted files"), self, sideways=True)
        self._files.setFixedHeight(theme().px(_LIST_HEIGHT))
        self.moving = _tick(tr("Take them out of my checkout once the lane has them"), "lane_move", self, on=False)
        self._changes_field = self.add_field("", self._note, self._files, self.moving)
        self.branch = ChoiceButton("lane_existing", tr("Branch"), self)
        self._branch_field = self.add_field(tr("Branch"), self.branch)
        self.parent_lane = ChoiceButton("lane_parent", tr("Stacks on"), self)
        self._parent_field = self.add_field(tr("Stacks on"), self.parent_lane)
        self.start_chat = _tick(tr("Start a chat in it"), "lane_start_chat", self)
        self.setup = _tick(tr("Run the setup"), "lane_run_setup", self)
        self.setup.hide()
        self.add_field("", self.start_chat, self.setup)
        self.base.chosen.connect(self._refresh)
        self.branch.chosen.connect(self._refresh)
        self.parent_lane.chosen.connect(self._refresh)
        self.behind.toggled.connect(self._refresh)
        self.moving.toggled.connect(self._refresh)

    # what is shown

    def _take(self, listed: LaneBasesListed) -> None:
        self._listed = listed
        self.base.set_items(base_items(listed.bases))
        self.branch.set_items(branch_items(listed.bases))
        self._files.clear()
        self._files.addItems([display_text(path) for path in listed.uncommitted])
        self._refresh()

    def _on_start(self, value: str) -> None:
        self._start = value
        self._choice.set_value(value)
        self._changes_field.setVisible(value == "changes")
        self._branch_field.setVisible(value == "branch")
        self._parent_field.setVisible(value == "base")
        self.fail("")
        self._refresh()

    def _refresh(self) -> None:
        name = self.name.text().strip()
        prefix = self._listed.prefix if self._listed is not None else ""
        stacked = self._start == "base" and self.parent_lane.value != NONE
        new_branch = tr("Branch {branch}", branch=f"{prefix}{lane_slug(name, self._lane_id)}")
        say(self._branch, display_text(new_branch) if name and prefix and self._start != "branch" else "")
        self._base_field.setVisible(self._start == "base" and not stacked)
        say(self._base_note, self._base_words())
        base = self._base
        self.behind.setVisible(base is not None and base.behind > 0)
        self.behind.setText(behind_words(base) if base is not None else "")
        self._show_changes()
        problem = self._problem(name)
        self.set_go(self._go(), enabled=not problem, why=problem)
        self.fit()

    def _base_words(self) -> str:
        if self._listed is None:
            return _READING
        if self._listed.notice:
            return display_text(self._listed.notice)
        known = self._listed.fetched or not any(base.kind == "remote" for base in self._listed.bases)
        return "" if known else _FETCHING

    def _show_changes(self) -> None:
        paths = self._listed.uncommitted if self._listed is not None else ()
        left = self._listed.left_out if self._listed is not None else ()
        words = [f"{count(len(paths), 'file')}. {_WHERE}" if paths else _NOTHING]
        if left:
            words.append(
                tr("Left out, because they are repositories of their own: {names}.", names=", ".join(left[:5]))
            )
        say(self._note, display_text(" ".join(words)))
        self._files.setVisible(bool(paths))
        self.moving.setVisible(bool(paths))

    @property
    def _base(self) -> LaneBase | None:
        """The base that is chosen; the default one is what the engine takes it for."""
        bases = self._listed.bases if self._listed is not None else ()
        return next((base for base in bases[1:] if base.ref == self.base.value), None)

    def _go(self) -> str:
        paths = self._listed.uncommitted if self._listed is not None else ()
        moves = self._start == "changes" and self.moving.isChecked() and paths
        return tr("Create lane and move…") if moves else tr("Create lane")

    def _problem(self, name: str) -> str:
        """Why there is nothing to send yet."""
        if not name:
            return tr("Give the lane a name.")
        try:
            checked_name(name)
        except LaneError as error:
            return str(error)
        if self._listed is None:
            return _READING
        if self._start == "changes" and not self._listed.uncommitted:
            return _NOTHING
        if self._start == "branch" and not self.branch.value:
            return tr("No branch is free: each is open somewhere.")
        return ""

    # what a person does

    def _on_submitted(self) -> None:
        if self.working or self._problem(self.name.text().strip()):
            return
        if self._start == "changes" and self.moving.isChecked() and self._listed is not None:
            MoveDialog(self._listed.uncommitted, self._send, self).open()
        else:
            self._send()

    def _send(self) -> None:
        start: StartFrom = "base"
        if self._start == "changes":
            start = "move_changes" if self.moving.isChecked() else "copy_changes"
        elif self._start == "branch":
            start = "branch"
        stacked = self._start == "base" and self.parent_lane.value != NONE
        begins = "" if stacked or self.base.value == DEFAULT else self.base.value
        base = {"base": begins, "branch": self.branch.value}.get(self._start, "")
        command = CreateLane(
            lane_id=self._lane_id,
            name=self.name.text(),
            base=base,
            parent_id=self.parent_lane.value if stacked else "",
            start_from=start,
            confirmed_paths=self._listed.uncommitted if start == "move_changes" and self._listed is not None else (),
            allow_behind=self.behind.isChecked(),
            run_setup=self.setup.isChecked(),
        )
        self.set_working(True, tr("Creating…"))
        self._refresh()
        self._host.requests.ask(command, self, answer(LaneCreated, self._finish), failed=self._on_failed)

    def _finish(self, update: LaneCreated) -> None:
        self.accept()
        if update.notices:
            self._host.note(" ".join(update.notices))
        if self.start_chat.isChecked():
            self._host.new_chat(update.lane)
        else:
            self._host.show_lane(update.lane.id)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._lane_id = new_lane_id()
        self.fail(failed.text)
        self._refresh()
        if failed.code == _BEHIND:
            self.behind.setVisible(True)
            self.behind.setText(self.behind.text() or tr("Begin there all the same"))
            self.fit()


class MoveDialog(AskDialog):
    """Every file that would leave the person's checkout, to be agreed to."""

    def __init__(self, paths: Sequence[str], agreed: Callable[[], None], parent: QWidget) -> None:
        text = tr(
            "These files are put back to the last commit, new ones are taken away. The lane has them all; if anything "
            "fails, your checkout is as it was."
        )
        question = Question(
            "lane_move_dialog",
            tr("Move {files} out of your checkout?", files=count(len(paths), "file")),
            text,
            (tr("Cancel"), "lane_move_cancel"),
            (tr("Move"), "lane_move_go"),
        )
        super().__init__(question, parent)
        files = BoxList("lane_move_files", tr("Files that are moved"), self, sideways=True)
        files.addItems([display_text(path) for path in paths])
        self.details.addWidget(files)
        self.agreed.connect(agreed)


def _tick(text: str, name: str, parent: QWidget, *, on: bool = True) -> QCheckBox:
    box = QCheckBox(text, parent)
    box.setObjectName(name)
    box.setChecked(on)
    return box
