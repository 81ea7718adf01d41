"""The files of a lane, for what people do in it outside of a chat."""

from pathlib import Path

from desktop.agent.core.parts import LaneParts
from desktop.domain.core.errors import CommandError, PathError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.identity import lane_moved, misplaced_words


def files_of(parts: LaneParts, lane: Lane) -> LaneFiles:
    """The files of a lane, with its trash.

    Raises:
        CommandError: `lane_broken`: another folder, or none, stands in its place.
    """
    folders = parts.folders
    own = (folders.config, folders.data / "store", folders.cache, folders.logs)
    if lane_moved(lane):
        raise CommandError("lane_broken", misplaced_words(lane))
    try:
        files = LaneFiles(Path(lane.worktree_path), name=lane.name, own_folders=own)
    except PathError as error:
        raise CommandError("lane_broken", misplaced_words(lane)) from error
    return files.with_trash(folders.data / "trash" / lane.id)
