"""The handover as a theme."""

from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.handover.commands import HandoverCommands
from desktop.agent.settings.keeper import SettingsKeeper


def handover_theme(premises: Premises, settings: SettingsKeeper) -> Theme:
    """The page is made from the logs whenever it is asked for; nothing of it is kept."""
    readings, publish = premises.store.readings, premises.telling.publish
    commands = HandoverCommands(publish, readings, premises.project, premises.clock, lambda: settings.redactor)
    return Theme("handover", handlers_of(commands))
