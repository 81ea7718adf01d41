"""The undo ledger as a theme."""

from desktop.agent.core.session import Publish
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.ledger.commands import LedgerCommands
from desktop.store.core.readings import Readings


def ledger_theme(publish: Publish, readings: Readings) -> Theme:
    """The ledger is made from the log whenever it is asked for; nothing of it is kept."""
    return Theme("ledger", handlers_of(LedgerCommands(publish, readings)))
