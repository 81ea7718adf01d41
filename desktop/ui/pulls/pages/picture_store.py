"""PullPictures: the pictures of foreign texts that a person asked for, kept while the PR tab is (lanes-G24)."""

from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import LoadForeignPicture
from desktop.domain.pulls.updates import ForeignPictureLoaded
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.core.requests import Request, Requests, answer

_MOST_KEPT = 24
DAMAGED = tr("This picture cannot be shown.")


@dataclass(frozen=True)
class PictureStand:
    """The state of a picture of the request. `problem`: why it is not shown, display-safe."""

    state: Literal["offered", "loading", "shown", "failed"] = "offered"
    picture: QPixmap | None = None
    problem: str = ""


_OFFERED = PictureStand()


class PullPictures(QObject):
    """By address; at most 24 are kept. Nothing is asked for before `load`. `changed`: the address of one."""

    changed = Signal(str)

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self._stands: dict[str, PictureStand] = {}
        self._asked: dict[str, Request] = {}

    def stand(self, address: str) -> PictureStand:
        """The state of the picture at this address."""
        return self._stands.get(address, _OFFERED)

    def load(self, address: str) -> None:
        """A person wants to see it."""
        if self.stand(address).state not in ("loading", "shown"):
            self._set(address, PictureStand("loading"))
            loaded = answer(ForeignPictureLoaded, partial(self._on_loaded, address))
            command, failed = LoadForeignPicture(address=address), partial(self._on_failed, address)
            self._asked[address] = self._requests.ask(command, self, loaded, failed=failed)

    def forget(self, address: str) -> None:
        """Offer it again; what is under way is not waited for."""
        asked = self._asked.pop(address, None)
        if asked is not None:
            asked.drop()
        self._set(address, _OFFERED)

    def _on_loaded(self, address: str, loaded: ForeignPictureLoaded) -> None:
        self._take(address, loaded.data, loaded.problem)

    def _on_failed(self, address: str, failed: CommandFailed) -> None:
        self._take(address, b"", failed.text)

    def _take(self, address: str, data: bytes, problem: str) -> None:
        self._asked.pop(address, None)
        picture = QPixmap()
        if data and picture.loadFromData(data, "PNG"):
            self._set(address, PictureStand("shown", picture))
        else:
            self._set(address, PictureStand("failed", problem=display_text(said(problem) or DAMAGED)))

    def _set(self, address: str, stand: PictureStand) -> None:
        self._stands.pop(address, None)
        self._stands[address] = stand
        shown = [one for one, kept in self._stands.items() if kept.state == "shown"]
        for oldest in shown[:-_MOST_KEPT]:
            del self._stands[oldest]
            self.changed.emit(oldest)
        self.changed.emit(address)
