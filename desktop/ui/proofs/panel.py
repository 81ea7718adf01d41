"""The Proofs tab: what shows that the work was done: pictures, logs and results of the shown chat's lane."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.proofs.commands import (
    AddProof,
    CaptureProof,
    LoadProofContent,
    LoadProofs,
    PlanPublish,
    PublishProofs,
)
from desktop.domain.proofs.updates import (
    ProofAdded,
    ProofCapturing,
    ProofContentLoaded,
    ProofsChanged,
    ProofsPublished,
    PublishPlanned,
)
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.changes.fold import ReviewFold
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.proofs.capture import NOT_HERE, CapturePlace, Captures
from desktop.ui.proofs.dialogs.publish import PublishDialog
from desktop.ui.proofs.dialogs.viewer import ProofViewer
from desktop.ui.proofs.filters import FilterButton
from desktop.ui.proofs.grid import ProofsGrid, accept_files, dropped_paths
from desktop.ui.proofs.model import ProofFilter, ProofsModel, age_words, figure_words, large_words
from desktop.ui.text.waiting import Waiting
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.strip import Strip

EMPTY = (tr("No proofs yet."), tr("The agent adds screenshots here; you can drop pictures too."))
_ASKED_AT_ONCE = 8


class ProofsPanel(Panel):
    """Asks for the list while it is on screen. `counted`: how many proofs wait for a review; `noted` carries a sentence
    and whether it is about a failure; `owner_asked` a ProofLink to go to."""

    owner_asked = Signal(object)

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self.fold = ReviewFold()
        self.model = ProofsModel(self)
        self._lane_id = ""
        self._stale = False
        self._failed = self._page_problem = self._as_of = self._words = self._capturing = ""
        self._bytes = 0
        self._asked: set[str] = set()
        self._loading = Request()
        self._over = Hearing()
        self.hearing = self._hears()
        self._wait = Waiting(tr("Loading proofs…"), tr("Still loading…"), self)
        self.setObjectName("proofs_panel")
        self._figure = ElidedLabel("", self)
        self._figure.setObjectName("proofs_figure")
        self._figure.setProperty("kind", "muted")
        self.filters = FilterButton(self)
        self._add = IconButton("plus", tr("Add files…"), self)
        self._add.setObjectName("proofs_add")
        self._capture = IconButton("image", tr("Capture…"), self)
        self._capture.setObjectName("proofs_capture")
        self._publish = IconButton("git-pull-request", tr("Attach to pull request…"), self)
        self._publish.setObjectName("proof_publish")
        self._again = IconButton("refresh-cw", tr("Refresh the proofs"), self)
        self._again.setObjectName("proofs_refresh")
        self.captures = Captures(requests, self._capture_place, self)
        self._strip = Strip("proofs_problem", self, "warning")
        self._busy = QLabel(self)
        self._busy.setObjectName("proofs_capturing")
        self._busy.setProperty("kind", "caption")
        self._busy.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_2), 0)
        self._busy.hide()
        self.grid = ProofsGrid(self.model, self)
        self._state = EmptyState("image", *EMPTY, self)
        self._state_page = EmptyPage(self._state, self)
        self._retry = self._state.add_button(tr("Try again"), "proofs_again")
        self._everything = self._state.add_button(tr("Show all"), "proofs_show_all")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.refresh()

    # for the inspector

    def show_session(self, session_id: str) -> None:
        """Show the proofs of this chat's lane; "" for none."""
        self.fold.show_session(session_id)
        self.model.session_id = session_id
        self._follow_lane()
        self.refresh()

    def event(self, event: QEvent) -> bool:
        """Becoming visible: load what is missing or old."""
        if event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self._load_if_seen)
        return super().event(event)

    def load(self) -> None:
        """Ask for the list."""
        if self._lane_id:
            self._stale, self._failed = False, ""
            command = LoadProofs(lane_id=self._lane_id)
            self._wait.begin()
            self._loading.drop()
            self._loading = self._requests.ask(command, self, failed=self._on_not_loaded)
            self.refresh()

    def open_viewer(self, proof_id: str) -> ProofViewer | None:
        """Show one proof as large as the window lets it be."""
        shown = next((one for one in self.model.proofs if one.proof.id == proof_id), None)
        if shown is None:
            return None
        viewer = ProofViewer(self._requests, self.model, proof_id, self.window())
        self._over.join(viewer.hearing, viewer)
        viewer.finished.connect(self._viewer_closed)
        viewer.noted.connect(self.noted)
        viewer.owner_asked.connect(self.owner_asked)
        viewer.open()
        return viewer

    # taking updates

    def _hears(self) -> Hearing:
        hearing = Hearing(self.fold.hearing).then(self._follow_lane).on(ProofsChanged, self._on_list)
        hearing.on(ProofContentLoaded, self._take_thumb).on(ProofCapturing, self._on_capturing)
        return hearing.on(LaneStatusChanged, self._on_status).inside(self._over).after(self._load_if_seen)

    def _on_list(self, update: ProofsChanged) -> None:
        if update.lane_id == self._lane_id:
            self._end_waiting()
            self._page_problem, self._as_of = update.page_problem, age_words(update.as_of)
            self._bytes = update.project_bytes
            self.model.set_proofs(update.proofs)
            self._ask_for_thumbs()
            self.refresh()

    def _on_capturing(self, update: ProofCapturing) -> None:
        if update.lane_id == self._lane_id:
            title = display_text(update.title)
            self._capturing = tr("Capturing {title}…", title=title) if title else ""
            self.refresh()

    def _on_status(self, update: LaneStatusChanged) -> None:
        self._stale = self._stale or any(one.lane_id == self._lane_id for one in update.statuses)

    def _on_added(self, update: ProofAdded) -> None:
        if update.notice:
            self.noted.emit(update.notice, False)

    def _on_published(self, update: ProofsPublished) -> None:
        self.noted.emit(tr("{request} names the proofs now.", request=update.request), False)

    def _on_refused(self, failed: CommandFailed) -> None:
        self.noted.emit(failed.text, True)

    def _on_not_loaded(self, failed: CommandFailed) -> None:
        self._wait.end()
        self._failed = failed.text
        self.refresh()

    def _end_waiting(self) -> None:
        self._wait.end()
        self._loading.drop()
        self._words = ""

    def _take_thumb(self, update: ProofContentLoaded) -> None:
        if update.form != "thumb":
            return
        self._asked.discard(update.proof_id)
        thumb = QPixmap()
        if update.data:
            thumb.loadFromData(update.data, "PNG")
        self.model.set_thumb(update.proof_id, thumb, update.problem)
        self._ask_for_thumbs()

    def _ask_for_thumbs(self) -> None:
        """A few at a time; the rest when these came."""
        for proof_id in self.model.without_thumb():
            if len(self._asked) >= _ASKED_AT_ONCE:
                return
            if proof_id not in self._asked:
                self._asked.add(proof_id)
                self._requests.send(LoadProofContent(proof_id=proof_id, form="thumb"))

    # showing

    def refresh(self) -> None:
        """Show what is known."""
        tiles, proofs = len(self.model.rows), len(self.model.proofs)
        self.counted.emit(self.model.waiting)
        self._say_figure()
        for button in (self._add, self._capture, self._again, self.filters):
            set_off(button, "" if self._lane_id else tr("Open a chat first: proofs belong to a lane."))
        problem = self._failed if proofs else ""
        cannot = "" if self._capturing else self._cannot_capture()
        notices = problem or f"{cannot} {large_words(self._bytes) if self._lane_id else ''}".strip()
        self._strip.say(display_text(notices), "danger" if problem else "warning")
        self._offer_publishing()
        self._show_state(tiles, proofs)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the age where there is no room for it."""
        super().resizeEvent(event)
        self._say_figure()

    def _say_figure(self) -> None:
        words = figure_words(self.model, self._as_of, room=round(self.width() / theme().zoom))
        self._figure.set_full_text(words, words.split(" · ")[0])
        self._again.set_name(tr("Refresh the proofs"), self._as_of)

    def _cannot_capture(self) -> str:
        return f"{NOT_HERE.format(why=said(self._page_problem))}." if self._page_problem and self._lane_id else ""

    def _capture_place(self) -> CapturePlace:
        return CapturePlace(self._lane_id, self.fold.session_id, self.fold.lane, self._cannot_capture())

    def _show_state(self, tiles: int, proofs: int) -> None:
        self._retry.setVisible(bool(self._failed) and not proofs)
        self._everything.setVisible(bool(proofs) and not tiles)
        self._busy.setText(self._capturing)
        self._busy.setVisible(bool(self._capturing) and bool(proofs))
        if not self._lane_id:
            there = self.fold.session_id and self.fold.is_there
            self._state_page.set_texts(tr("This chat has no lane.") if there else tr("Open a chat to see its proofs."))
        elif self._failed and not proofs:
            self._state_page.set_texts(display_text(self._failed, multiline=True))
        elif proofs:
            self._state_page.set_texts(tr("No proof is of this kind."))
        elif self._capturing:
            self._state_page.set_texts(self._capturing)
        elif self.model.loaded:
            self._state_page.set_texts(*EMPTY)
        else:
            self._state_page.set_texts(self._words)
        self._stack.setCurrentIndex(0 if tiles else 1)

    # what people do

    def add_files(self, paths: Sequence[str]) -> None:
        """Make proofs of these files."""
        for path in paths:
            name = Path(path).name
            self._send(AddProof(lane_id=self._lane_id, session_id=self.fold.session_id, path=path, name=name))

    def add_picture(self, data: bytes) -> None:
        """Make a proof of a picture that was pasted."""
        name = tr("Pasted picture.png")
        self._send(AddProof(lane_id=self._lane_id, session_id=self.fold.session_id, data=data, name=name))

    def publish(self) -> None:
        """Ask what attaching the selected proofs to the lane's pull request would post."""
        chosen = tuple(self.grid.chosen)
        if chosen:
            self._send(PlanPublish(lane_id=self._lane_id, proof_ids=chosen))

    def _show_plan(self, plan: PublishPlanned) -> None:
        dialog = PublishDialog(plan, self.model, self._requests, self.window())
        dialog.posted.connect(self._send)
        dialog.open()

    def _offer_publishing(self) -> None:
        chosen = bool(self.grid.chosen)
        none = "" if chosen else tr("Select proofs to attach to the pull request")
        set_off(self._publish, none, tr("Attach to pull request…"))

    def _send(self, command: AddProof | CaptureProof | PlanPublish | PublishProofs) -> None:
        if self._lane_id:
            replies = (
                answer(ProofAdded, self._on_added),
                answer(PublishPlanned, self._show_plan),
                answer(ProofsPublished, self._on_published),
            )
            self._requests.ask(command, self, *replies, failed=self._on_refused)

    def _choose_files(self) -> None:
        dialog = QFileDialog(self.window(), tr("Add proofs"))
        dialog.setObjectName("proofs_files_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add_files)
        dialog.open()

    def _filter(self, wanted: ProofFilter) -> None:
        self.model.set_filter(wanted)
        self._ask_for_thumbs()
        self.refresh()

    def _viewer_closed(self) -> None:
        self.grid.setFocus()

    def _follow_lane(self) -> None:
        lane_id = self.fold.lane_id
        if lane_id == self._lane_id:
            return
        self._lane_id = lane_id
        self._end_waiting()
        self._failed = self._page_problem = self._as_of = self._capturing = ""
        self._asked.clear()
        self.model.clear()
        self._stale = bool(lane_id)
        self.refresh()

    def _load_if_seen(self) -> None:
        if self._stale and self._lane_id and self.isVisible():
            self.load()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        set_gaps(top, (SPACE_3, 0, SPACE_2, 0), SPACE_1)
        top.addWidget(self._figure, 1)
        for button in (self.filters, self._publish, self._add, self._capture, self._again):
            top.addWidget(button)
        self._stack.addWidget(self.grid)
        self._stack.addWidget(self._state_page)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        column.addLayout(top)
        column.addWidget(self._strip)
        column.addWidget(self._busy)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.captures.menu.addAction(tr("Paste picture"), self.grid.paste).setObjectName("proofs_paste")
        self.captures.wanted.connect(self._send)
        self.captures.noted.connect(self.noted)
        self._capture.clicked.connect(self._open_menu)
        self._add.clicked.connect(self._choose_files)
        self._publish.clicked.connect(self.publish)
        self.grid.selectionModel().selectionChanged.connect(lambda *_: self._offer_publishing())
        self._again.clicked.connect(self.load)
        self._retry.clicked.connect(self.load)
        self._everything.clicked.connect(self.filters.reset)
        self.filters.chosen.connect(self._filter)
        self._wait.said.connect(self._say_wait)
        self.grid.opened.connect(self.open_viewer)
        self.grid.dropped.connect(self.add_files)
        self.grid.pasted.connect(self.add_picture)
        self.setAcceptDrops(True)

    def _open_menu(self) -> None:
        self.captures.menu.popup(self._capture.mapToGlobal(self._capture.rect().bottomLeft()))

    def _say_wait(self, words: str) -> None:
        self._words = words
        self.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere on the tab."""
        if self._lane_id:
            accept_files(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Add the files that were dropped."""
        paths = dropped_paths(event)
        if paths and self._lane_id:
            event.acceptProposedAction()
            self.add_files(paths)


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return ProofsPanel(requests, parent)


PROOFS = PanelSpec("proofs", tr("Proofs"), tr("Show proofs"), ("Alt+3",), "image", _made)
