"""Theme: what a feature gives to the engine, as one value; and Themes, which are all of them in their order."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from types import ModuleType
from typing import Any, Protocol

from desktop.agent.core.additions import Additions
from desktop.agent.core.commands import Commands, Handler
from desktop.agent.core.offers import Offer
from desktop.agent.core.session import Session
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.records import dataclass
from desktop.tools.tool import Tool


class Closing(Protocol):
    """A part that must be closed."""

    async def close(self) -> None:
        """End what was begun; nothing of it runs afterwards."""


class Attendant(Closing, Protocol):
    """A part that works on its own while a repository is open."""

    def project_opened(self) -> None:
        """Another repository is open now, or the same one again. Returns at once."""


def _unseen(update: Update) -> None:
    """For themes that need not see what the engine says."""


def _no_tools(session: Session) -> tuple[Tool[Any], ...]:
    return ()


def _no_section(session: Session) -> str:
    return ""


async def _nothing(session: Session, turn_id: str) -> None:
    """For themes that have nothing to do before a request."""


@dataclass(frozen=True)
class Theme:
    """What `build.py` of a theme's folder makes.

    `handlers`: by kind of command, what carries it out. `offers`: what tools of a chat can have of the theme. `saw` is
    shown whatever the engine tells the window. `starting` is called once the window knows that the engine is there.
    `attendants` work without being asked. What has work under way in chats is `closed_first`, while chats are still
    there; the attendants follow; what all of these stand on is `closed_last`, when no command runs any more.

    `tools`: those that a chat has beside the program's, found at run time; they are judged as all others, and one whose
    name is taken is left out. `prompt`: a section of the system prompt, "" for none. Both return at once, and are asked
    before each request. `before_request` is waited for then, before the two: it may record what the model is to know.
    """

    name: str
    handlers: Mapping[type[Command], Handler] = field(default_factory=dict)
    offers: tuple[Offer, ...] = ()
    saw: Callable[[Update], None] = _unseen
    starting: tuple[Callable[[], None], ...] = ()
    attendants: tuple[Attendant, ...] = ()
    closed_first: tuple[Closing, ...] = ()
    closed_last: tuple[Closing, ...] = ()
    tools: Callable[[Session], tuple[Tool[Any], ...]] = _no_tools
    prompt: Callable[[Session], str] = _no_section
    before_request: Callable[[Session, str], Awaitable[None]] = _nothing


def handlers_of(*parts: Commands) -> dict[type[Command], Handler]:
    """What these parts of a theme carry out.

    Raises:
        ValueError: two of them carry out the same command.
    """
    return merged(*(part.handlers() for part in parts))


def handled_late(
    commands: ModuleType, table: Callable[[], Mapping[type[Command], Handler]]
) -> dict[type[Command], Handler]:
    """The commands that this module declares, carried out by what stands in `table`. Only they ask for it, so that a
    theme which nobody uses is not loaded."""

    async def run(command: Command) -> None:
        await table()[type(command)](command)

    declared = (one for one in vars(commands).values() if isinstance(one, type) and one.__module__ == commands.__name__)
    return {one: run for one in declared if issubclass(one, Command)}


def merged(*tables: Mapping[type[Command], Handler]) -> dict[type[Command], Handler]:
    """All of these tables as one.

    Raises:
        ValueError: a command stands in two of them.
    """
    handlers: dict[type[Command], Handler] = {}
    for table in tables:
        for kind, run in table.items():
            if kind in handlers:
                raise ValueError(f"{kind.__name__} is carried out by two parts.")
            handlers[kind] = run
    return handlers


class Themes:
    """All themes, in the order in which they see updates, are told of a repository, and are closed."""

    def __init__(self, *listed: Theme) -> None:
        """Raises ValueError when two of them carry out the same command."""
        self.listed = listed
        self._seeing = [theme.saw for theme in listed if theme.saw is not _unseen]
        self.handlers = merged(*(theme.handlers for theme in listed))

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What all of them offer to tools."""
        return tuple(offer for theme in self.listed for offer in theme.offers)

    @property
    def attendants(self) -> tuple[Attendant, ...]:
        """Whoever works without being asked."""
        return tuple(one for theme in self.listed for one in theme.attendants)

    def add_to(self, additions: Additions) -> None:
        """Let all of them add to what the model is sent."""
        for theme in self.listed:
            if theme.tools is not _no_tools:
                additions.tools.add(theme.tools)
            if theme.prompt is not _no_section:
                additions.prompt.add(theme.prompt)
            if theme.before_request is not _nothing:
                additions.before_request.add(theme.before_request)

    def start(self) -> None:
        """The window knows that the engine is there."""
        for theme in self.listed:
            for begin in theme.starting:
                begin()

    def saw(self, update: Update) -> None:
        """Show it to every theme that looks."""
        for saw in self._seeing:
            saw(update)

    def project_opened(self) -> None:
        """Tell those that work on their own."""
        for one in self.attendants:
            one.project_opened()

    async def close(self) -> None:
        """End what works in chats and what works on its own. Chats and commands may still be under way."""
        for one in [*(part for theme in self.listed for part in theme.closed_first), *self.attendants]:
            await one.close()

    async def close_last(self) -> None:
        """Close what the themes stand on: no chat and no command runs any more."""
        for one in [part for theme in self.listed for part in theme.closed_last]:
            await one.close()
