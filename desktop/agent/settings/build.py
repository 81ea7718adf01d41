"""The settings as a theme: what a person sets, keys, providers, databases to try, and sounds to hear."""

from collections.abc import Callable
from pathlib import Path

from desktop.agent.core.offers import offer
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.theme import Theme, handlers_of, merged
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.settings.sounds import SoundCommands
from desktop.domain.commands import TestDatabase
from desktop.domain.core.work import Project
from desktop.services.databases.connections import Databases


def settings_theme(settings: SettingsKeeper, publish: Publish, project: Callable[[], Project | None]) -> Theme:
    """`project`: the repository that is open, in which a database is tried."""

    async def test_database(command: TestDatabase) -> None:
        await settings.test_database(command, project())

    handlers = merged(handlers_of(settings, SoundCommands(publish)), {TestDatabase: test_database})
    databases = offer(Databases, lambda session: _databases(settings.databases, session))
    return Theme("settings", handlers, offers=(databases,), closed_last=(settings,))


def _databases(databases: Databases, session: Session) -> Databases | None:
    """What a chat may query, None: it has no lane, or nothing is set up for its project."""
    if session.lane is None:
        return None
    here = databases.for_lane(session.state.project_path, Path(session.lane.worktree_path))
    return here if here.enabled else None
