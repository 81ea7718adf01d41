"""What tools may ask for in a chat beside its files and commands: each thing a protocol, offered by some theme.

`Tool.needs` names those without which a tool is not offered, `ToolContext.offer` gives one of them to its handler.
"""

from collections.abc import Awaitable
from typing import Literal, Protocol

from desktop.domain.children.events import ChildResultDelivered
from desktop.domain.children.values import ChildLane
from desktop.domain.core.base import Frozen
from desktop.domain.gate.events import SessionTainted
from desktop.domain.memory.values import AgentCategory, Importance, MemoryHit
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.tool import ToolResult


class WorkingLane(Protocol):
    """The lane that the chat works in."""

    @property
    def name(self) -> str:
        """The name by which people call the lane."""


class UnsavedFiles(Protocol):
    """Files of the lane that a person has open in an editor."""

    async def text(self, path: str) -> str | None:
        """What the editor has of the file at this path in the lane, saved or not; None where it says nothing."""


class TriedEffects(Protocol):
    """What commands of the chat did in a copy of the lane."""

    async def apply(self, call_id: str, input_id: str, effect: str) -> ToolResult:
        """Do to the lane what the command of this call did in the copy. `effect`: the digest that a person allowed.

        Raises:
            BanksmanError: it was not done; the lane is as it was unless the sentence says otherwise.
        """


class Shell(Protocol):
    """The shell that runs the chat's commands with bash."""

    @property
    def has_bash(self) -> bool:
        """Whether bash was found."""


class BackgroundShells(Protocol):
    """Commands of the chat that run, or ran, in the background."""

    def only_shell(self) -> str:
        """The id of the one there is, or of the one that runs."""


class Person(Protocol):
    """Somebody who can answer cards in this process."""


class GitHubPulls(ChatPulls, Protocol):
    """Pushes and requests where somebody is signed in to a host of the repository."""


class OpenPull(ChatPulls, Protocol):
    """Pushes and requests where somebody is signed in, and the lane has an open pull request."""


class Attachment(Protocol):
    """Gives the content of a file that a person attached to the chat. Any thread."""

    def __call__(self, name: str, /) -> bytes | None:
        """The bytes of the file of that name, None for none."""


class ToRemember(Frozen):
    """A statement as an agent wants it remembered."""

    content: str
    category: AgentCategory
    importance: Importance = "medium"
    pin: bool = False
    strict: bool = False
    files: tuple[str, ...] = ()


MemoryScope = Literal["project", "agent", "mission"]


class ChatMemory(Protocol):
    """What the chat may look up and remember. Each raises BanksmanError with what the agent is told."""

    def search(
        self, call_id: str, query: str, limit: int, scope: MemoryScope | None, owner: str, /
    ) -> Awaitable[tuple[MemoryHit, ...]]:
        """The best hits; on record, also when there is none."""

    def add(self, call_id: str, wanted: ToRemember, scope: MemoryScope, owner: str, /) -> Awaitable[str]:
        """What came of it, as a sentence."""

    def pin(self, call_id: str, memory_id: str, pinned: bool, /) -> str:
        """Pin or unpin an entry; what came of it, as a sentence."""


ChildRunState = Literal["queued", "running", "waiting", "ended"]


class WantedChild(Frozen):
    """A sub-agent as a call asks for it. `resume`: the task that goes on; `max_steps` 0, `model` "": as its agent and
    its parent have it; `background`, `lane` None: as its agent says."""

    description: str
    prompt: str
    agent: str
    scope: tuple[str, ...] = ()
    background: bool | None = None
    lane: ChildLane | None = None
    model: str = ""
    max_steps: int = 0
    resume: str = ""


class KnownAgent(Frozen):
    """An agent that can be begun. `writes`: it can change files or run commands; `lane`: where it works if nobody says
    otherwise."""

    name: str
    description: str
    writes: bool = False
    lane: ChildLane = "same"


class ChildReport(Frozen):
    """A task as its chat's model is told of it. `line`: what it came to, in one line; `text`: its last words inside
    the marker for what nobody vouches for; `follow`: what is recorded together with the telling. `ok`: it ended as it
    was meant to, or still runs."""

    task_id: str
    child_id: str
    agent: str
    state: ChildRunState
    line: str
    text: str = ""
    ok: bool = True
    follow: tuple[ChildResultDelivered | SessionTainted, ...] = ()


class TakenChanges(Frozen):
    """What was taken over of a task: `commits`, which change `files`, joined by `commit` on top of `before`; the same
    commit twice for nothing. `conflicts`: files that do not fit, and nothing was taken. `committed`: files that the
    task had not committed and that were before; `left_out`: those that were not, and why."""

    branch: str
    before: str
    commit: str
    commits: int = 0
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    committed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Children(Protocol):
    """Begins sub-agents of one chat."""

    def agent(self, name: str) -> KnownAgent:
        """The agent of that name. Asks nobody.

        Raises:
            ArgumentsError: there is none; it names those that there are.
        """

    def agent_of(self, task_id: str) -> KnownAgent:
        """The agent of a task. Raises ArgumentsError: there is no such task."""

    async def run(self, call_id: str, wanted: WantedChild) -> ChildReport:
        """Begin it; in the foreground wait for its end.

        Raises:
            BanksmanError: it could not be begun.
        """


class OwnChildren(Protocol):
    """The sub-agents that a chat has begun. All raise ArgumentsError for a task that there is not."""

    async def look(self, task_id: str, wait_s: float) -> ChildReport:
        """How far it is; waits so long for its end."""

    async def stop(self, task_id: str) -> bool:
        """End it with all it runs. Whether it ran."""

    async def foresee(self, task_id: str) -> None:
        """Look at which files taking the work of a task would change, for `asks_about`."""

    def asks_about(self, task_id: str) -> tuple[str, ...]:
        """Why rules want a person to be asked before the work of a task is taken: a sentence for each file."""

    async def take(self, task_id: str, *, asked: bool) -> TakenChanges:
        """Bring what an ended task did in a lane of its own into the chat's lane, all or nothing. `asked`: a person was
        asked about what was foreseen, and allowed it.

        Raises:
            BanksmanError: it still runs, works in the chat's lane, or something stands against it.
        """
