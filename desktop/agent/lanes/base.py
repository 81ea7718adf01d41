"""What is done to lanes is held, recorded and kept: the small values for that, and all that themes are built on."""

from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.use import LaneUse
from desktop.records import dataclass


@dataclass(frozen=True)
class LaneActs:
    """What every change of a lane needs: `log` records it, `use` holds the lane and ends what works in it."""

    log: ProjectLog
    use: LaneUse


@dataclass(frozen=True)
class LaneContents:
    """What is in lanes: `files` opens the files of one, `keeper` has their checkpoints."""

    files: FilesOf
    keeper: LaneKeeper


@dataclass(frozen=True)
class LaneBase:
    """What the engine has made before the themes. Only `build.py` of a theme takes it, and hands on what each needs."""

    ground: Ground
    telling: Telling
    acts: LaneActs
    contents: LaneContents
    clock: Callable[[], datetime]
