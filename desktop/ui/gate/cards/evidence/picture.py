"""The picture card: a picture of the screen that was taken and is not sent before a person says so."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import Answer, PictureReview
from desktop.domain.proofs.commands import LoadCapture
from desktop.domain.proofs.updates import CaptureLoaded
from desktop.language import tr, trn
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.pictures.picture_marks import KEYS, PictureMarks

_KEYS = tr("Ctrl+⏎ send  ·  Ctrl+⌫ do not send")
WINDOW = tr(
    "The agent asks for one window, but this is the whole screen. Crop it to that window; nothing else need be sent."
)
DESKTOP = tr("The agent asks for the whole screen. Crop it or hide what the agent must not see.")
GONE = tr("The picture is not held any more. Decline, and let the agent ask again.")
_TOOLS = {"crop": tr("Crop"), "blank": tr("Hide parts")}


class PictureCard(InputCard):
    """Sending needs the picture on screen. What was cropped and hidden is kept when the card is drawn anew."""

    prefix = "picture"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, PictureReview):
            raise TypeError(f"A picture card cannot show a {request.kind}.")
        super().__init__(context, parent)
        self._request = request
        self._there = False
        words = plain_label(self.body.contents, "muted", "picture_words")
        words.setText(WINDOW if request.target == "window" else DESKTOP)
        self.body.column.addWidget(words)
        if request.title:
            title = plain_label(self.body.contents, "caption", "picture_title")
            title.setText(tr("The agent calls it: {title}", title=display_text(request.title)))
            self.body.column.addWidget(title)
        self._tools = Segmented(
            "picture", tr("What a part is"), tuple(_TOOLS.items()), self.body.contents, compact=True
        )
        self._tools.setToolTip(KEYS)
        self._tools.chosen.connect(self._use)
        self.body.column.addWidget(self._tools)
        self.marks = PictureMarks("picture_view", self.body.contents)
        self.marks.changed.connect(self._say_rest)
        self.body.column.addWidget(self.marks, 1)
        self._rest = plain_label(self.body.contents, "caption", "picture_rest")
        self.body.column.addWidget(self._rest)
        self._build_buttons()
        self._say_rest()
        self.refresh_enabled()
        wanted = LoadCapture(call_id=request.call_id, input_id=context.item.input_id)
        QTimer.singleShot(0, self, lambda: self.wanted.emit(wanted))

    def approve(self) -> None:
        """Send what is left of the picture."""
        if self._there and self.can_answer and self._footer.opened < 0:
            self.submit(Answer(outcome="allow_once", crop=self.marks.crop, blanks=self.marks.blanks), self._send)

    def choose(self, number: int) -> None:
        """1 crops, 2 hides."""
        if number <= len(_TOOLS):
            self._use(list(_TOOLS)[number - 1])

    def go_back(self) -> bool:
        """Close the decline row."""
        return self._footer.close()

    def take(self, update: Update) -> None:
        """The picture has come."""
        if isinstance(update, CaptureLoaded):
            picture = QPixmap()
            self._there = bool(update.data) and picture.loadFromData(update.data, "PNG")
            crop, blanks = self.marks.crop, self.marks.blanks
            self.marks.set_picture(picture)
            self.marks.crop, self.marks.blanks = crop, blanks
            say(self.hint, "" if self._there else GONE)
            self._say_rest()
            self.content_changed()
            self.refresh_enabled()

    def make_fit(self, width: int, height: int) -> None:
        """The picture gives way, so that all of it is on screen."""
        super().make_fit(width, height)
        self.marks.give_way(0)
        over = self.height_at(width) - height
        if over > 0:
            self.marks.give_way(over)

    def refresh_enabled(self) -> None:
        """Nothing is sent that was not seen."""
        super().refresh_enabled()
        why = self.why_not or ("" if self._there else tr("The picture is not there yet."))
        set_off(self._send, why)
        for part in (self._tools, self._reset):
            set_off(part, why)
        set_off(self.marks, self.why_not)

    def look(self) -> CardLook:
        """What was cropped and hidden, and which row is open."""
        return CardLook(row=self._footer.opened, crop=self.marks.crop, blanks=self.marks.blanks)

    def restore(self, look: CardLook) -> None:
        """Crop and hide the same again."""
        self.marks.crop, self.marks.blanks = look.crop, look.blanks
        self._footer.reopen(look.row)
        self._say_rest()

    def tab_chain(self) -> list[QWidget]:
        """The picture, its tools, the buttons."""
        return [*self._tools.findChildren(QPushButton), self.marks, *self._row_buttons, self._decline_row.reason]

    def _build_buttons(self) -> None:
        self._send = self.button(tr("Send picture"), "send", "primary")
        self._send.clicked.connect(self.approve)
        self._reset = self.button(tr("Start over"), "reset", "ghost")
        self._reset.clicked.connect(self.marks.reset)
        decline = self.button(tr("Do not send…"), "decline", "danger")
        self._row_buttons = [self._send, self._reset, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _KEYS))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)
        decline.clicked.connect(lambda: self._footer.open(self._decline_row, self._decline_row.reason))
        self._use("crop", focus=False)

    def _use(self, name: str, *, focus: bool = True) -> None:
        self.marks.set_tool("crop" if name == "crop" else "blank")
        self._tools.set_value(name)
        if focus:
            self.marks.setFocus()

    def _say_rest(self) -> None:
        """What would be sent, in words."""
        crop, blanks = self.marks.crop, self.marks.blanks
        width, height = (crop[2], crop[3]) if crop is not None else (self._request.width, self._request.height)
        hidden = trn(len(blanks), ", {n} part hidden", ", {n} parts hidden") if blanks else ""
        what = tr("this part") if crop is not None else tr("all of it")
        self._rest.setText(
            tr(
                "Would be sent: {what}, {width}×{height} pixels{hidden}.",
                what=what,
                width=width,
                height=height,
                hidden=hidden,
            )
        )
