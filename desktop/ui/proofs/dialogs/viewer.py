"""ProofViewer: one proof, large: its picture or text, all that is known of it, and what a person says of it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.proofs.commands import LoadProofContent, ReviewProof, SaveProof
from desktop.domain.proofs.updates import ProofContentLoaded, ProofSaved, ProofsChanged
from desktop.domain.proofs.values import MAX_NOTE, ProofLink, ReviewState, ShownProof
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests, answer
from desktop.ui.proofs.dialogs.compare import CompareDialog
from desktop.ui.proofs.dialogs.owners import OwnersPane
from desktop.ui.proofs.dialogs.parts import FactsPane, TextPane, button, endings
from desktop.ui.proofs.model import ProofsModel, details, owners
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pictures.picture_view import PictureView

_SHARE, _SIDE, _NOTE_LINES = 0.86, 300, 4


class ProofViewer(Dialog):
    """Follows the list of the tab. `noted` carries a sentence and whether it is about a failure; `owner_asked` a
    ProofLink that a person wants to go to, when the dialog is closed."""

    noted = Signal(str, bool)
    owner_asked = Signal(object)

    def __init__(self, requests: Requests, model: ProofsModel, proof_id: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._model = requests, model
        self._proof_id = proof_id
        self._over = Hearing()
        self.hearing = Hearing().on(ProofContentLoaded, self._on_content).on(ProofsChanged, self._on_list)
        self.hearing.inside(self._over)
        self.setObjectName("proof_viewer")
        self.setModal(True)
        self.resize(parent.size() * _SHARE)
        self._title = ElidedLabel("", self)
        self._title.setObjectName("proof_title")
        self._title.setProperty("kind", "title")
        self._place = QLabel(self)
        self._place.setObjectName("proof_place")
        self._place.setProperty("kind", "muted")
        self.picture = PictureView("proof_picture", self)
        self.text = TextPane(self)
        self._state = EmptyState("image", "", "", self)
        self._stack = QStackedWidget(self)
        self._facts = FactsPane(self)
        self._owners = OwnersPane(self)
        self._owners.asked.connect(self._go_to)
        self._note = QPlainTextEdit(self)
        self._build_tools()
        self._build_review()
        self._lay_out()
        self.finished.connect(self.deleteLater)
        self.show_proof(proof_id)

    @property
    def shown(self) -> ShownProof | None:
        """The proof that is shown; None: it is not in the list any more."""
        return next((one for one in self._model.proofs if one.proof.id == self._proof_id), None)

    def show_proof(self, proof_id: str) -> None:
        """Show this proof."""
        self._proof_id = proof_id
        self._note.setPlainText("")
        self._open_note(False)
        self.picture.set_picture(QPixmap())
        shown = self.shown
        if shown is not None:
            readable = (shown.proof.is_picture or shown.proof.is_text) and not shown.missing
            readable = readable and not shown.proof.cannot_show
            self._say(tr("Loading…") if readable else _why_not(shown))
            if readable:
                command = LoadProofContent(proof_id=proof_id, form="picture" if shown.proof.is_picture else "text")
                self._requests.ask(command, self, failed=self._on_failed)
        self.refresh()

    def refresh(self) -> None:
        """Show what is known."""
        shown = self.shown
        rows = [tile.proof_id for tile in self._model.rows]
        at = rows.index(self._proof_id) if self._proof_id in rows else -1
        self._place.setText(tr("{value} of {rows}", value=at + 1, rows=len(rows)) if at >= 0 else "")
        set_off(self._previous, "" if at > 0 else tr("This is the first proof."))
        set_off(self._next, "" if 0 <= at < len(rows) - 1 else tr("This is the last proof."))
        if shown is None:
            return
        proof = shown.proof
        restyle(self._reviews["accepted"], kind=self._accept_kind)
        self._title.set_full_text(prose_text(proof.title))
        self.setWindowTitle(tr("Proof: {title}", title=prose_text(proof.title)))
        self._facts.show_facts(details(shown))
        self._owners.show_owners(owners(shown))
        for widget in self._of_pictures:
            widget.setVisible(proof.is_picture)
        self._refresh_tools()
        for state, one in self._reviews.items():
            set_off(one, "" if proof.review != state else tr("It is so already."))

    def _refresh_tools(self) -> None:
        """Zoom and copy need a picture on screen; a picture that cannot be read is not compared either."""
        seen = not self.picture.picture.isNull()
        for widget in self._of_pictures:
            set_off(widget, "" if seen else tr("The picture is not on screen."))
        self._share.setText(self._share.text() if seen else "")
        shown = self.shown
        readable = shown is not None and not shown.missing and not shown.proof.cannot_show
        others = "" if self._others() else tr("There is no other picture to compare it with.")
        set_off(self._compare, others if readable else tr("This picture cannot be read."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go to the next one."""
        if event.key() == Qt.Key.Key_Left:
            self.go(-1)
        elif event.key() == Qt.Key.Key_Right:
            self.go(1)
        else:
            super().keyPressEvent(event)

    def go(self, steps: int) -> None:
        """To the one before or after in the tab's list."""
        rows = [tile.proof_id for tile in self._model.rows]
        at = rows.index(self._proof_id) + steps if self._proof_id in rows else -1
        if 0 <= at < len(rows):
            self.show_proof(rows[at])

    def compare(self) -> CompareDialog | None:
        """Compare with the one before, or another picture."""
        shown, others = self.shown, self._others()
        if shown is None or not others:
            return None
        dialog = CompareDialog(self._requests, shown.proof, others, self)
        self._over.join(dialog.hearing, dialog)
        dialog.open()
        return dialog

    # content

    def _on_content(self, update: ProofContentLoaded) -> None:
        if update.proof_id == self._proof_id and update.form != "thumb":
            self._show_content(update)

    def _on_list(self, _update: ProofsChanged) -> None:
        self.refresh()

    def _on_saved(self, update: ProofSaved) -> None:
        self.noted.emit(tr("Saved as {path}.", path=update.path), False)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._problem.setText(display_text(failed.text))
        self._problem.show()

    def _show_content(self, update: ProofContentLoaded) -> None:
        shown = self.shown
        if update.problem or shown is None:
            self._say(update.problem)
        elif update.form == "picture":
            picture = QPixmap()
            picture.loadFromData(update.data, "PNG")
            self.picture.set_picture(picture)
            self.picture.setAccessibleName(display_text(shown.proof.title))
            self._stack.setCurrentWidget(self.picture)
            self.picture.setFocus()
            self._refresh_tools()
        else:
            self.text.show_text(update.text, update.secrets)
            self._stack.setCurrentWidget(self.text)
            self.text.focus()

    def _say(self, words: str) -> None:
        self._state.set_texts(display_text(words))
        self._stack.setCurrentWidget(self._state)

    def _others(self) -> list[ShownProof]:
        """Pictures that it can be compared with, the one before first."""
        shown = self.shown
        if shown is None or not shown.proof.is_picture:
            return []
        pair = shown.proof.pair.before_id if shown.proof.pair is not None else shown.proof.compare_with
        others = [one for one in self._model.proofs if one.proof.is_picture and one.proof.id != self._proof_id]
        others = [one for one in others if not one.missing and not one.proof.cannot_show]
        return sorted(others, key=lambda one: (one.proof.id != pair, one.proof.title != shown.proof.title))

    # what a person does

    def review(self, state: ReviewState) -> None:
        """Say this of the proof."""
        note = self._note.toPlainText().strip()[:MAX_NOTE] if state == "needs_more" else ""
        command = ReviewProof(proof_id=self._proof_id, state=state, note=note)
        self._problem.hide()
        self._requests.ask(command, self, failed=self._on_failed)
        self._open_note(False)

    def _open_note(self, opened: bool) -> None:
        self._note_box.setVisible(opened)
        restyle(self._reviews["accepted"], kind=self._accept_kind)
        if opened:
            self._note.setFocus()

    @property
    def _accept_kind(self) -> str:
        """What nobody can look at is not what one accepts first."""
        shown = self.shown
        unseen = shown is not None and bool(shown.missing or shown.proof.cannot_show)
        return "" if unseen or not self._note_box.isHidden() else "primary"

    def _go_to(self, link: ProofLink) -> None:
        self.accept()
        self.owner_asked.emit(link)

    def _copy(self) -> None:
        pixmap = self.picture.picture
        if not pixmap.isNull():
            QGuiApplication.clipboard().setPixmap(pixmap)

    def _save(self) -> None:
        shown = self.shown
        if shown is None:
            return
        dialog = QFileDialog(self, tr("Save proof"))
        dialog.setObjectName("proof_save_dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(endings(shown.proof))
        dialog.fileSelected.connect(self._save_as)
        dialog.open()

    def _save_as(self, path: str) -> None:
        command = SaveProof(proof_id=self._proof_id, path=path)
        self._requests.ask(command, self, answer(ProofSaved, self._on_saved), failed=self._on_failed)

    # building

    def _build_tools(self) -> None:
        self._previous = IconButton("chevron-left", tr("Previous proof"), self)
        self._next = IconButton("chevron-right", tr("Next proof"), self)
        self._previous.setObjectName("proof_previous")
        self._next.setObjectName("proof_next")
        self._previous.clicked.connect(lambda: self.go(-1))
        self._next.clicked.connect(lambda: self.go(1))
        fit, actual = button(tr("Fit"), "proof_fit", self), button("100 %", "proof_actual", self)
        smaller, larger = button("−", "proof_smaller", self), button("+", "proof_larger", self)
        smaller.setAccessibleName(tr("Smaller"))
        larger.setAccessibleName(tr("Larger"))
        fit.clicked.connect(self.picture.fit)
        actual.clicked.connect(self.picture.actual_size)
        smaller.clicked.connect(lambda: self.picture.zoom(-1))
        larger.clicked.connect(lambda: self.picture.zoom(1))
        self._share = QLabel(self)
        self._share.setObjectName("proof_zoom")
        self._share.setProperty("kind", "muted")
        self._share.setContentsMargins(theme().px(SPACE_1), 0, theme().px(SPACE_1), 0)
        self.picture.zoomed.connect(lambda share: self._share.setText(f"{round(share * 100)} %"))
        self._compare = button(tr("Compare…"), "proof_compare", self)
        self._compare.clicked.connect(self.compare)
        copy = button(tr("Copy image"), "proof_copy", self)
        copy.clicked.connect(self._copy)
        save = button(tr("Save as…"), "proof_save", self)
        save.clicked.connect(self._save)
        self._of_pictures: list[QWidget] = [fit, actual, smaller, larger, self._share, self._compare, copy]
        self._tools = [self._previous, self._next, fit, actual, smaller, larger, self._share, self._compare, copy, save]

    def _build_review(self) -> None:
        accept = button(tr("Accept"), "proof_accept", self, primary=True)
        accept.clicked.connect(lambda: self.review("accepted"))
        more = button(tr("Needs more…"), "proof_needs_more", self)
        more.clicked.connect(lambda: self._open_note(True))
        dismiss = button(tr("Dismiss"), "proof_dismiss", self)
        dismiss.clicked.connect(lambda: self.review("dismissed"))
        close = button(tr("Close"), "proof_close", self)
        close.clicked.connect(self.accept)
        self._reviews: dict[ReviewState, QPushButton] = {"accepted": accept, "dismissed": dismiss}
        self._buttons = [accept, more, dismiss, close]
        self._note_box = QWidget(self)
        self._note.setObjectName("proof_note")
        self._note.setAccessibleName(tr("What is missing; the agent gets it as your message"))
        self._note.setPlaceholderText(tr("What is missing? The agent gets this as your message."))
        self._note.setTabChangesFocus(True)
        self._note.document().setDocumentMargin(theme().px(SPACE_2))
        self._note.setFixedHeight(self._note.fontMetrics().lineSpacing() * _NOTE_LINES)
        send = button(tr("Send to the agent"), "proof_note_send", self, primary=True)
        long = tr("At most {max_note} characters.", max_note=number(MAX_NOTE))
        self._note.textChanged.connect(lambda: set_off(send, "" if len(self._note.toPlainText()) <= MAX_NOTE else long))
        send.clicked.connect(lambda: self.review("needs_more"))
        column = QVBoxLayout(self._note_box)
        set_gaps(column, (0, 0, 0, 0), SPACE_1)
        column.addWidget(self._note)
        column.addWidget(send, 0, Qt.AlignmentFlag.AlignRight)
        self._note_box.hide()
        self._problem = QLabel(self)
        self._problem.setObjectName("proof_problem")
        self._problem.setProperty("role", "danger")
        self._problem.setWordWrap(True)
        self._problem.hide()

    def _lay_out(self) -> None:
        for page in (self._state, self.picture, self.text):
            self._stack.addWidget(page)
        top = QHBoxLayout()
        set_gaps(top, spacing=SPACE_2)
        top.addWidget(self._title, 1)
        top.addWidget(self._place)
        tools = QHBoxLayout()
        set_gaps(tools, spacing=SPACE_1)
        for widget in self._tools:
            tools.addWidget(widget)
        tools.addStretch(1)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self._stack)
        known = QWidget(self)
        side = QVBoxLayout(known)
        set_gaps(side, (0, 0, 0, 0), 0)
        side.addWidget(self._owners)
        side.addWidget(self._facts, 1)
        split.addWidget(known)
        split.setStretchFactor(0, 1)
        split.setSizes([theme().px(3 * _SIDE), theme().px(_SIDE)])
        bottom = QHBoxLayout()
        set_gaps(bottom, spacing=SPACE_2)
        for one in self._buttons[:-1]:
            bottom.addWidget(one)
        bottom.addStretch(1)
        bottom.addWidget(self._buttons[-1])
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        column.addLayout(top)
        column.addLayout(tools)
        column.addWidget(split, 1)
        column.addWidget(self._note_box)
        column.addWidget(self._problem)
        column.addLayout(bottom)


def _why_not(shown: ShownProof) -> str:
    """Why nothing of a proof is shown."""
    if shown.missing:
        return (
            tr("The picture file is gone; its record is kept.")
            if shown.proof.is_picture
            else tr("The file is missing.")
        )
    if shown.proof.cannot_show:
        return tr("This picture cannot be shown: {cannot_show}.", cannot_show=said(shown.proof.cannot_show))
    return tr("This kind of file is not shown here. Save it to open it with another program.")
