"""SlowParts: of what is behind the front of a window, that which takes long to make, made one part after the other."""

from collections.abc import Generator

from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.terminals.terminals import Terminals
from desktop.ui.window.centre import Centre
from desktop.ui.window.inspector import Inspector
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.parts import Parts


@dataclass(frozen=True)
class SlowParts:
    """What they ask through, what all parts read (`facts`), and the parts."""

    requests: Requests
    facts: tuple[ChatBook, EngineFacts, Drafts]
    panes: Panes
    terminals: Terminals
    centre: Centre
    inspector: Inspector | None


def slow_parts(window: MainWindow, sink: CommandSink, clock: Clock, parts: Parts) -> Generator[None, None, SlowParts]:
    """Make them, and put them in their places once they look as the front does; other things can be done where it
    yields. Nothing is asked of the engine."""
    front, requests = window.front, Requests(sink)
    facts = ChatBook(), EngineFacts(), parts.drafts or Drafts(window.store.settings, window)
    panes = Panes(lambda parent: ChatPage(requests, clock, parts, facts, parent), window)
    yield
    terminals = Terminals(requests, facts[0].lane_book, panes, window)
    yield
    centre = Centre(requests, parts.welcome, front.starting, terminals.dock, front.centre)
    front.centre.put(centre)
    yield
    inspector = None
    if front.inspector is not None:
        panels = []
        for spec in parts.panels:
            panels.append(spec.make(requests, clock, front.inspector))
            yield
        inspector = Inspector(parts.panels, requests, clock, front.inspector, panels)
        front.inspector.put(inspector)
        yield
    return SlowParts(requests, facts, panes, terminals, centre, inspector)
