"""TurnDriver: what carries out the turns of chats. `AgentLoop` asks a model itself; an agent of its own is another."""

from typing import Protocol

from desktop.agent.core.session import Session
from desktop.agent.turns.turn import Turn, TurnKind
from desktop.domain.core.base import Frozen
from desktop.domain.events import Event


class DriverAbilities(Frozen):
    """What a person may ask for in a chat, as far as that is up to who carries out its turns.

    `rewinds`: the conversation can go back to an earlier place. `compacts`: it can be replaced by a summary.
    """

    rewinds: bool
    compacts: bool


class TurnDriver(Protocol):
    """One for any number of chats, with one turn at a time in each. Engine thread only.

    What people see of a turn are its events: `TurnStarted`, then messages, calls and inputs, then one `TurnEnded`. The
    `Turn` is shared with who began it, who reads `status`, `in_step`, `ended` and `pause`. It may set `send_now` and
    then cancel the task while `in_step`, which stops the step alone: the message is delivered and the turn goes on.
    It may set `stop_after_step`: nothing more is begun. What is left in the queue at the end begins the next turn.
    """

    def begin(self, session: Session, events: list[Event], *, kind: TurnKind = "prompt", continues: str = "") -> Turn:
        """Record the start of a turn together with `events` (notes, then what the person says).

        Raises:
            StoreError: nothing was recorded, and no turn began.
        """

    async def run(self, session: Session, turn: Turn) -> None:
        """Carry out a turn that has begun, in the task of its session. Exactly one TurnEnded follows in any case; when
        the task is cancelled, that is raised again after it."""

    async def stop(self, session: Session, turn: Turn) -> None:
        """A person stops the turn: bring `run` to its end, whatever it waits for. Returns at once."""

    def retry_now(self, session_id: str) -> None:
        """Do not wait for the next attempt of what failed, if one is waited for."""

    def end_unrun(self, session: Session, turn: Turn) -> None:
        """Record the end of a turn that was stopped before `run` did anything; of any other, nothing."""

    def abilities(self, session: Session) -> DriverAbilities:
        """What can be asked for in this chat, as far as that is known by now."""
