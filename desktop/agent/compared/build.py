"""Results that are compared as a theme."""

from collections.abc import Awaitable, Callable

from desktop.agent.compared.commands import ComparedCommands
from desktop.agent.compared.figures import ChatFigures
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.domain.core.command import Command


def compared_theme(
    premises: Premises, base: LaneBase, sessions: Sessions, run: Callable[[Command], Awaitable[None]]
) -> Theme:
    """`run` carries out another command."""
    store = premises.store
    figures = ChatFigures(store.events, store.readings, premises.clock)
    commands = ComparedCommands(
        base.ground, premises.telling.publish, (base.acts.log, store.events), (sessions, figures), run
    )
    return Theme("compared", handlers_of(commands))
