"""The settings as a theme: what a person sets, keys, providers, databases to try, and sounds to hear."""

from collections.abc import Callable

from desktop.agent.core.session import Publish
from desktop.agent.core.theme import Theme, handlers_of, merged
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.settings.sounds import SoundCommands
from desktop.domain.commands import TestDatabase
from desktop.domain.core.work import Project


def settings_theme(settings: SettingsKeeper, publish: Publish, project: Callable[[], Project | None]) -> Theme:
    """`project`: the repository that is open, in which a database is tried."""

    async def test_database(command: TestDatabase) -> None:
        await settings.test_database(command, project())

    handlers = merged(handlers_of(settings, SoundCommands(publish)), {TestDatabase: test_database})
    return Theme("settings", handlers, closed_last=(settings,))
