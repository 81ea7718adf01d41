"""FolderNotice: worktrees that stand beside the lanes and are none, offered to be imported."""

from pathlib import Path

from desktop.domain.display.text import display_text
from desktop.domain.lanes.updates import LanesChanged
from desktop.language import number, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.begin import import_lane
from desktop.ui.lanes.host import LaneHost


class FolderNotice:
    """Tells of each such folder once. Where it is, is shown by the dialog that imports it."""

    def __init__(self, host: LaneHost) -> None:
        self._host = host
        self._told: set[str] = set()
        self.hearing = Hearing().on(LanesChanged, self._look)

    def _look(self, update: LanesChanged) -> None:
        new = [path for path in update.unknown if path not in self._told]
        if new:
            self._told.update(new)
            self._tell(new)

    def _tell(self, paths: list[str]) -> None:
        name = display_text(Path(paths[0]).name)
        text = tr("Unknown folder: “{name}” stands among the lanes and is none.", name=name)
        if len(paths) > 1:
            more = number(len(paths) - 1)
            text = tr("{unknown_folder} {more} more like it.", unknown_folder=text, more=more)
        self._host.offer(text, tr("Import…"), lambda: import_lane(self._host, paths[0]))
