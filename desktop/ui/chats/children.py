"""The sub-agents of a chat in its header: what is known of each, and the menu that opens and stops them."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.children.values import ChildState, tokens_of
from desktop.domain.display.surfaces import whole_title
from desktop.domain.history.state_of import SessionState
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.chats.folds.child_rows import ENDED_WORDS
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import count, duration
from desktop.ui.widgets.buttons.off import set_action_off

MOST_SHOWN = 20


@dataclass(frozen=True)
class ChildFact:
    """One sub-agent. `words`: agent, task, state and figures in one line, display-safe; `running`: it has not ended;
    `begun`: it had room; `waiting`: cards of it and of those below it that wait."""

    child_id: str
    words: str
    running: bool
    waiting: int = 0
    begun: bool = True

    @property
    def works(self) -> bool:
        """Whether it does something now: it has room, and nobody is waited for."""
        return self.running and self.begun and not self.waiting


def child_facts(state: SessionState, states: Mapping[str, SessionState]) -> tuple[ChildFact, ...]:
    """The sub-agents of a chat, those that run first, then the newest; `states`: of the chats that are known here."""
    facts = [_fact(child, states) for child in state.children.values()]
    return tuple(sorted(reversed(facts), key=lambda fact: not fact.running))


def waiting_below(state: SessionState, states: Mapping[str, SessionState]) -> int:
    """How many cards of running sub-agents wait for a person."""
    running = (states.get(child.child_id) for child in state.children.values() if child.running)
    return sum(len(child.open_inputs) + waiting_below(child, states) for child in running if child is not None)


def show_children(
    children: tuple[ChildFact, ...], below: QWidget, open_child: Callable[[str], None], stop: Callable[[str], None]
) -> None:
    """A menu under a widget: each sub-agent, with Open and, while it runs, Stop."""
    menu = QMenu(below)
    menu.setObjectName("header_children_list")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    for child in children[:MOST_SHOWN]:
        words = child.words.replace("&", "&&")
        entry = menu.addMenu(words) if child.running else menu
        opens = entry.addAction(tr("Open") if child.running else words)
        opens.triggered.connect(lambda _checked=False, to=child.child_id: open_child(to))
        if child.running:
            stops = entry.addAction(tr("Stop"))
            stops.triggered.connect(lambda _checked=False, to=child.child_id: stop(to))
    if len(children) > MOST_SHOWN:
        more = menu.addAction(tr("{n} more in the transcript", n=number(len(children) - MOST_SHOWN)))
        set_action_off(more, tr("They are opened from the transcript."))
    menu.popup(below.mapToGlobal(QPoint(0, below.height())))


def _fact(child: ChildState, states: Mapping[str, SessionState]) -> ChildFact:
    now = states.get(child.child_id)
    title = whole_title(f"{child.agent}: {child.description}")
    if not child.running:
        tokens = tokens_of(child.usage)
        figures = [ENDED_WORDS[child.outcome or "interrupted"], count(child.steps, "step"), count(tokens, "token")]
        figures += [duration(child.duration_ms)]
        return ChildFact(child.child_id, " · ".join([title, *figures]), running=False)
    if now is None:
        return ChildFact(child.child_id, tr("{title} · waits for room", title=title), running=True, begun=False)
    waiting = len(now.open_inputs) + waiting_below(now, states)
    figures = [tr("waiting for you") if waiting else tr("running")]
    if now.turn is not None:
        figures.append(count(now.turn.steps, "step"))
        calls = [call for call in now.turn.calls.values() if not call.finished]
        titles = [call.title if call.verbatim else call_title(call.title) for call in calls[-1:]]
        figures += map(whole_title, titles)
    return ChildFact(child.child_id, " · ".join([title, *figures]), running=True, waiting=waiting)
