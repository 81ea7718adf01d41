"""Where a chat of an editor works: the lane that its folder lies in, a new one, or the checkout."""

import asyncio
from pathlib import Path

from desktop.agent.acp.ground import AcpGround
from desktop.domain.commands import NewSession, OpenProject
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project
from desktop.services.acp.wire import INTERNAL, WRONG_PARAMS, WireError
from desktop.services.projects import open_project

ANOTHER = (
    "Banksman works on the repository {open} now, and on one at a time. Open {asked} in its window, or close what uses "
    "the other one."
)


def folder_of(cwd: object) -> Path:
    """The folder that an editor names. Raises WireError: it is none."""
    if not isinstance(cwd, str) or not Path(cwd).is_absolute():
        raise WireError(WRONG_PARAMS, "cwd is the absolute path of a folder.")
    return Path(cwd)


async def opened(ground: AcpGround, folder: Path, *, in_use: bool) -> Project:
    """The repository of a folder, which is open then. `in_use`: chats of this process, or a window, use another.

    Raises:
        WireError: it is no repository, or another one is in use.
    """
    try:
        asked = await open_project(folder)
        current = ground.ground.project()
        if current is not None and current.id != asked.id and in_use:
            raise WireError(INTERNAL, ANOTHER.format(open=current.path, asked=asked.path))
        if current is None or current.id != asked.id:
            opening = ground.carrier.run(OpenProject(path=asked.path))
            await asyncio.shield(asyncio.create_task(opening))  # whole, also where the editor cancels its request
    except CommandError as error:
        raise WireError(WRONG_PARAMS, str(error)) from error
    return asked


def first_of(ground: AcpGround, project: Project, folder: Path, *, in_checkout: bool) -> NewSession:
    """How a chat begins there, but for its first message. Raises WireError: no model can be used."""
    settings = ground.settings
    try:
        endpoint_id, model = settings.model_for("", "")
    except CommandError:
        endpoint_id, model = settings.default_endpoint, ""
    return NewSession(
        session_id=new_session_id(),
        text="",
        place="checkout" if in_checkout else "lane",
        lane_id=_lane_of(ground, project, folder),
        mode=PermissionMode.EDIT,
        endpoint_id=endpoint_id,
        model=model,
    )


def _lane_of(ground: AcpGround, project: Project, folder: Path) -> str:
    """The lane in which the folder lies, "" for none: then the chat gets one of its own, or the checkout."""
    real = folder.resolve()
    lanes = (lane for lane in ground.ground.lanes.of_project(project.id) if lane.type != "primary")
    return next((lane.id for lane in lanes if real.is_relative_to(Path(lane.worktree_path).resolve())), "")
