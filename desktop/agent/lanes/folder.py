"""The files of a lane, for what people do in it outside of a chat."""

from pathlib import Path

from desktop.config.folders import Folders
from desktop.domain.core.errors import CommandError, PathError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.identity import lane_moved, misplaced_words


class FilesOf:
    """Opens the files of lanes; the program's own `folders` are closed to everything done with them."""

    def __init__(self, folders: Folders) -> None:
        self._own = (folders.config, folders.data / "store", folders.cache, folders.logs)
        self._trash = folders.data / "trash"

    def __call__(self, lane: Lane) -> LaneFiles:
        """The files of a lane, with its trash.

        Raises:
            CommandError: `lane_broken`: another folder, or none, stands in its place.
        """
        if lane_moved(lane):
            raise CommandError("lane_broken", misplaced_words(lane))
        try:
            files = LaneFiles(Path(lane.worktree_path), name=lane.name, own_folders=self._own)
        except PathError as error:
            raise CommandError("lane_broken", misplaced_words(lane)) from error
        return files.with_trash(self._trash / lane.id)
