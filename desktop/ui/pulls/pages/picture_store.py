"""PullPictures: the pictures of foreign texts that a person asked for, kept while the PR tab is (lanes-G24)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import LoadForeignPicture
from desktop.domain.pulls.updates import ForeignPictureLoaded
from desktop.domain.updates import CommandFailed
from desktop.ui.core.sink import CommandSink

_MOST_KEPT = 24
DAMAGED = "This picture cannot be shown."


@dataclass(frozen=True)
class PictureStand:
    """What there is of a picture. `problem`: why it is not shown, display-safe."""

    state: Literal["offered", "loading", "shown", "failed"] = "offered"
    picture: QPixmap | None = None
    problem: str = ""


_OFFERED = PictureStand()


class PullPictures(QObject):
    """By address; at most 24 are kept. Nothing is asked for before `load`. `changed`: the address of one."""

    changed = Signal(str)

    def __init__(self, sink: CommandSink, parent: QObject) -> None:
        super().__init__(parent)
        self._sink = sink
        self._stands: dict[str, PictureStand] = {}
        self._asked: dict[str, str] = {}

    def stand(self, address: str) -> PictureStand:
        """What there is of this one."""
        return self._stands.get(address, _OFFERED)

    def load(self, address: str) -> None:
        """A person wants to see it."""
        if self.stand(address).state not in ("loading", "shown"):
            command = LoadForeignPicture(address=address)
            self._asked[command.command_id] = address
            self._set(address, PictureStand("loading"))
            self._sink.send(command)

    def forget(self, address: str) -> None:
        """Offer it again; what is under way is not waited for."""
        self._asked = {command_id: one for command_id, one in self._asked.items() if one != address}
        self._set(address, _OFFERED)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        for update in updates:
            if isinstance(update, ForeignPictureLoaded):
                self._take(update.command_id, update.data, update.problem)
            elif isinstance(update, CommandFailed):
                self._take(update.command_id, b"", update.text)

    def _take(self, command_id: str, data: bytes, problem: str) -> None:
        address = self._asked.pop(command_id, "")
        if not address:
            return
        picture = QPixmap()
        if data and picture.loadFromData(data, "PNG"):
            self._set(address, PictureStand("shown", picture))
        else:
            self._set(address, PictureStand("failed", problem=display_text(problem or DAMAGED)))

    def _set(self, address: str, stand: PictureStand) -> None:
        self._stands.pop(address, None)
        self._stands[address] = stand
        shown = [one for one, kept in self._stands.items() if kept.state == "shown"]
        for oldest in shown[:-_MOST_KEPT]:
            del self._stands[oldest]
            self.changed.emit(oldest)
        self.changed.emit(address)
