"""The inbox as a theme."""

from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.inputs import PendingInputs
from desktop.agent.inbox.commands import InboxCommands


def inbox_theme(premises: Premises, inputs: PendingInputs) -> Theme:
    """It keeps nothing: what waits is known by those who wait."""
    return Theme("inbox", handlers_of(InboxCommands(inputs, premises.telling.publish, premises.store)))
