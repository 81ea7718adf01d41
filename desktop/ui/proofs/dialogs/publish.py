"""PublishDialog: what would be posted to a pull request, word for word, where, and who can read it there."""

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.domain.proofs.commands import PlanPublish, PublishProofs
from desktop.domain.proofs.updates import PublishPlanned
from desktop.domain.updates import CommandFailed
from desktop.language import tr, trn
from desktop.ui.core.requests import Requests, answer
from desktop.ui.proofs.dialogs.parts import button
from desktop.ui.proofs.model import ProofsModel, ProofTile
from desktop.ui.text.format import size
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_WIDTH, _ROWS, _TEXT, _PICTURE = 640, 2, 180, QSize(96, 60)
STAY = tr("Pictures stay on this computer; the text names each by its hash.")
GO = tr(
    "Pictures are pushed first, without the place and the program they were taken with. Who can read the repository "
    "sees them."
)


class PublishDialog(Dialog):
    """Asks for another plan itself. `posted` carries the command that posts exactly what is shown."""

    posted = Signal(object)

    def __init__(self, plan: PublishPlanned, model: ProofsModel, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._plan, self._model, self._requests = plan, model, requests
        self.setObjectName("proof_publish_dialog")
        self.setWindowTitle(tr("Attach to pull request"))
        self.setModal(True)
        self.setMinimumWidth(theme().px(_WIDTH))
        self._title = plain_label(self, "title")
        self._where = plain_label(self, "muted")
        self._where.setObjectName("proof_publish_where")
        self._proofs = BoxList("proof_publish_list", tr("The proofs"), self, sideways=True)
        self._proofs.setIconSize(QSize(theme().px(_PICTURE.width()), theme().px(_PICTURE.height())))
        self._pictures = QCheckBox(self)
        self._pictures.setObjectName("proof_publish_pictures")
        self._text = TextBox("proof_publish_text", tr("The text that is posted"), self)
        self._text.setFixedHeight(theme().px(_TEXT))
        self._hint = plain_label(self, "caption")
        self._hint.setObjectName("proof_publish_hint")
        self._cancel = button(tr("Cancel"), "proof_publish_cancel", self)
        self._post = button(tr("Attach"), "proof_publish_post", self, primary=True)
        self._lay_out()
        self._pictures.toggled.connect(self._ask)
        self._cancel.clicked.connect(self.reject)
        self._post.clicked.connect(self._on_post)
        self._cancel.setFocus()
        self.finished.connect(self.deleteLater)
        self._show()

    def _on_planned(self, plan: PublishPlanned) -> None:
        self._plan = plan
        self._show()

    def _on_failed(self, failed: CommandFailed) -> None:
        """The former plan stays, with why there is no other."""
        self._show()
        self._hint.setText(display_text(failed.text))

    def _ask(self, pictures: bool) -> None:
        command = PlanPublish(lane_id=self._plan.lane_id, proof_ids=self._plan.proof_ids, pictures=pictures)
        for part in (self._post, self._pictures):
            set_off(part, UNDER_WAY)
        self._hint.setText(tr("Looking at what would be posted…"))
        self._requests.ask(command, self, answer(PublishPlanned, self._on_planned), failed=self._on_failed)

    def _show(self) -> None:
        plan, count = self._plan, len(self._plan.proof_ids)
        request = display_text(plan.request)
        self._title.setText(
            trn(count, "Attach {n} proof to {request}?", "Attach {n} proofs to {request}?", request=request)
        )
        self._where.setText(f"{display_text(plan.url)}\n{_who(plan.private)}")
        self._where.setProperty("kind", "muted" if plan.private is True else "")
        self._where.setProperty("role", "" if plan.private is True else "warning")
        self._proofs.clear()
        for tile in self._model.rows:
            if tile.proof_id in plan.proof_ids:
                self._proofs.addItem(QListWidgetItem(self._model.thumb(tile.proof_id), self._line(tile)))
        self._proofs.fit(_ROWS)
        where = tr(
            "the branch {branch} of {partition}", branch=display_text(plan.branch), partition=request.partition("#")[0]
        )
        self._pictures.setText(tr("Show the pictures too: push them to {where}", where=where))
        with QSignalBlocker(self._pictures):
            self._pictures.setChecked(plan.with_pictures)
        set_off(self._pictures, display_text(plan.no_pictures))
        self._pictures.setVisible(bool(plan.branch) and self._has_pictures())
        self._text.setPlainText(safe_text(plan.text))
        how = (
            tr("It replaces the part that Banksman posted before.") if plan.replaces else tr("It is added at the end.")
        )
        stay = f"{STAY} {display_text(plan.no_pictures)}".strip()
        self._hint.setText(
            tr("{how} Nothing else of the request's text changes. {go}", how=how, go=GO if plan.with_pictures else stay)
        )
        set_off(self._post, "")

    def _has_pictures(self) -> bool:
        chosen = (tile for tile in self._model.rows if tile.proof_id in self._plan.proof_ids)
        return any(tile.shown.proof.is_picture for tile in chosen)

    def _line(self, tile: ProofTile) -> str:
        """What the proof is; below it what would be pushed of it."""
        proof = tile.shown.proof
        sides = f", {proof.width}×{proof.height}" if proof.width else ""
        words = f"{tile.title} · {size(proof.size)}{sides} · {tile.state}"
        if not self._plan.with_pictures:
            return words
        pushed = next((one for one in self._plan.pictures if one.proof_id == proof.id), None)
        if pushed is None:
            return tr("{words}\nNot pushed: only its hash is named", words=words)
        return f"{words}\n{pushed.path} · {size(pushed.size)}, {pushed.width}×{pushed.height}"

    def _on_post(self) -> None:
        plan = self._plan
        self.posted.emit(
            PublishProofs(
                lane_id=plan.lane_id, proof_ids=plan.proof_ids, digest=plan.digest, pictures=plan.with_pictures
            )
        )
        self.accept()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._post)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (self._title, self._where, self._proofs, self._pictures, self._text, self._hint):
            column.addWidget(widget)
        column.addLayout(buttons)


def _who(private: bool | None) -> str:
    if private is None:
        return tr("It is not known who can read this repository; take it for public.")
    return tr("A private repository.") if private else tr("A public repository: everybody can read this.")
