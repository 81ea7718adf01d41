"""Where a new chat works: in a lane of its own, in one that is there, or in the person's checkout."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.language import tr
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import Picker, PickItem

Place = Literal["lane", "existing", "checkout"]
_WORDS: dict[Place, str] = {
    "lane": tr("Own folder and branch"),
    "existing": tr("In its folder and branch"),
    "checkout": tr("Changes your own files"),
}
_SENTENCES: dict[Place, str] = {
    "lane": tr("A folder and branch of its own. Your own files stay as they are."),
    "checkout": tr("The agent changes the files you have open."),
}
_ANY = tr("A lane…")
_POPUP_WIDTH = 380
_MAX_LABEL = 24


class PlaceChoice(QWidget):
    """Shown over the composer for a new chat only; `place` is the choice, `lane_id` the lane that is there, "" unless
    one was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place: Place = "lane"
        self.lane_id = ""
        self._lanes: tuple[Lane, ...] = ()
        self._picker: Picker | None = None
        choices = [("lane", tr("New lane")), ("existing", _ANY), ("checkout", tr("My checkout"))]
        self._choice = Segmented("composer_place", tr("Where to work"), choices, self)
        for place, sentence in _SENTENCES.items():
            self._choice.set_tooltip(place, sentence)
        self._choice.chosen.connect(self._on_chosen)
        self._words = ElidedLabel("", self)
        self._words.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        layout.addWidget(self._choice)
        layout.addWidget(self._words, 1)
        self.show_lanes(())
        self.choose("lane")

    def choose(self, place: Literal["lane", "checkout"]) -> None:
        """Light this place."""
        self.lane_id = ""
        self._choice.set_label("existing", _ANY)
        self._light(place)

    def choose_lane(self, lane_id: str, name: str) -> None:
        """The chat is to work in this lane, which is there."""
        self.lane_id = lane_id
        self._name(name)
        self._light("existing")

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        """The lanes of the repository; those in use can be chosen."""
        usable = tuple(lane for lane in lanes if lane.state == "active" and lane.type != "primary")
        if usable != self._lanes or not usable:
            self._lanes = usable
            self._choice.set_enabled("existing", bool(usable) or bool(self.lane_id), tr("There is no lane yet."))
        chosen = next((lane for lane in lanes if lane.id == self.lane_id), None)
        if chosen is not None and chosen.state != "active":
            self.choose("lane")
        elif chosen is not None:
            self._name(chosen.name)

    def _name(self, name: str) -> None:
        """Say the name of the lane that was chosen."""
        shown = display_text(name)
        short = f"{shown[:_MAX_LABEL]}…" if len(shown) > _MAX_LABEL else shown
        self._choice.set_label("existing", tr("In {lane}", lane=short))
        self._choice.set_tooltip("existing", shown)

    def _light(self, place: Place) -> None:
        self.place = place
        self._choice.set_value(place)
        self._words.set_full_text(_WORDS[place])
        restyle(self._words, kind="muted", role="warning" if place == "checkout" else "")

    def _on_chosen(self, value: str) -> None:
        if value == "existing":
            self._open_list()
        else:
            self.choose("checkout" if value == "checkout" else "lane")

    def _open_list(self) -> None:
        if self._picker is None:
            self._picker = Picker(
                ("lane_popup", "lane_search", "lane_list"), tr("Choose lane"), tr("Search lanes"), self
            )
            self._picker.picked.connect(self._on_picked)
        items = [
            PickItem(lane.id, display_text(lane.name), display_text(lane.branch), icon="git-branch")
            for lane in self._lanes
        ]
        self._picker.set_items(items)
        top = self._choice.mapToGlobal(QPoint(0, 0))
        self._picker.open_at(QRect(top.x(), top.y(), theme().px(_POPUP_WIDTH), self._choice.height()))

    def _on_picked(self, lane_id: str) -> None:
        lane = next((one for one in self._lanes if one.id == lane_id), None)
        if lane is not None:
            self.choose_lane(lane.id, lane.name)
