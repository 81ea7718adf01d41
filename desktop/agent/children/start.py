"""ChildStart: all that a child is begun with, worked out before anything is recorded of it."""

from typing import Self

import desktop
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.queue_events import Limits, LimitsChanged
from desktop.domain.children.events import AgentGiven
from desktop.domain.children.values import ChildAgent, ChildLane, ChildState, weakest
from desktop.domain.core.errors import CommandError
from desktop.domain.events import Event, LaneAttached, Notice, SessionStarted, TitleChanged, UserMessage
from desktop.domain.lanes.lane import Lane
from desktop.domain.skills.values import AgentFile
from desktop.records import dataclass
from desktop.tools.offers import WantedChild

STEPS = 50


@dataclass(frozen=True)
class ChildPlace:
    """Where a child works and with which model, "" for that of the chat above; `notice`: why not with the one that was
    asked for."""

    lane: Lane | None
    model: str = ""
    notice: str = ""


@dataclass(frozen=True)
class ChildStart:
    """`agent` None: a child that goes on as it is. `prompt` "": a person speaks to it. `model`: an id, a class, or
    "" and inherit for that of the chat above; `notices`: what its file says otherwise than it counts."""

    agent_name: str
    agent: ChildAgent | None
    description: str
    prompt: str
    background: bool = False
    lane: ChildLane = "same"
    model: str = ""
    limits: Limits | None = None
    notices: tuple[str, ...] = ()

    @classmethod
    def first(cls, session: Session, file: AgentFile, agent: ChildAgent, wanted: WantedChild) -> Self:
        """A new child of this chat."""
        above = session.state.turn_limits or session.state.limits or Limits()
        steps = min(steps for steps in (wanted.max_steps, file.max_turns, STEPS * 2) if steps)
        return cls(
            agent_name=file.name,
            agent=agent,
            description=wanted.description,
            prompt=wanted.prompt,
            background=file.background if wanted.background is None else wanted.background,
            lane=wanted.lane or file.lane,
            model=wanted.model or file.model,
            notices=file.notices,
            limits=above.model_copy(update={"steps": steps}),
        )

    @classmethod
    def again(cls, session: Session, known: ChildState, wanted: WantedChild) -> Self:
        """A child that goes on with another prompt."""
        background = known.background if wanted.background is None else wanted.background
        return cls(known.agent, None, known.description, wanted.prompt, background, known.lane)

    @classmethod
    def by_person(cls, known: ChildState) -> Self:
        """A child with which a person goes on."""
        return cls(known.agent, None, known.description, "", True, known.lane)

    def message(self, parent: Session) -> UserMessage:
        """The prompt as the child's model gets it."""
        text = self.prompt
        if self.agent is not None and self.agent.scope:
            text += f"\n\nThis is about: {', '.join(self.agent.scope)}"
        return UserMessage(parts=({"type": "text", "text": text},), origin="agent", sender_session_id=parent.session_id)

    def open(self, sessions: Sessions, parent: Session, child_id: str, place: ChildPlace) -> Session:
        """The chat of a new child: its first events follow what its parent's log says of it.

        Raises:
            CommandError: there is no lane any more.
            BanksmanError: it could not be recorded.
        """
        above, agent, lane = parent.state, self.agent, place.lane
        if lane is None or agent is None:
            raise CommandError("no_lane", "This chat has no lane, so no agent can work in it.")
        started = SessionStarted(
            project_id=above.project_id,
            project_path=above.project_path,
            lane_id=lane.id,
            branch=lane.branch,
            base_commit=lane.base_oid,
            kind="subagent",
            persona=agent.name,
            parent_session_id=parent.session_id,
            parent_call_id=parent.state.children[child_id].call_id,
            primary=lane.type == "primary",
            mode=weakest(parent.mode, agent.cap),
            endpoint_id=above.endpoint_id,
            model=place.model or above.model,
            app_version=desktop.__version__,
            depth=above.depth + 1,
        )
        given = AgentGiven(agent=agent, task_id=above.children[child_id].task_id, description=self.description)
        attached = LaneAttached(
            lane_id=lane.id, branch=lane.branch, worktree_path=lane.worktree_path, base_commit=lane.base_oid
        )
        events: list[Event] = [started, given, attached, TitleChanged(title=self.description, by="auto")]
        events += [LimitsChanged(limits=self.limits, by="system")] if self.limits is not None else []
        events += [Notice(kind="agent_file", text=text) for text in (*self.notices, place.notice) if text]
        return sessions.begin(child_id, events, lane, parent, lazy=True)
