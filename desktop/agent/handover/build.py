"""The handover as a theme."""

from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.handover.commands import HandoverCommands
from desktop.agent.handover.summary import SummaryCommands
from desktop.agent.turns.aside import ModelAside


def handover_theme(premises: Premises, aside: ModelAside) -> Theme:
    """The page is made from the logs whenever it is asked for; nothing of it is kept but what a model wrote of it."""
    readings, publish = premises.store.readings, premises.telling.publish
    commands = HandoverCommands(publish, readings, premises.project, premises.clock, lambda: aside.redactor)
    return Theme("handover", handlers_of(commands, SummaryCommands(publish, aside)))
