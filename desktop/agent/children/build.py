"""Sub-agents as a theme: the tools that begin and stop them, what their chats are told, and their part in limits."""

from desktop.agent.chats.cut_off import CutOff
from desktop.agent.children.agents import Agents
from desktop.agent.children.lanes import ChildLanes, Taking
from desktop.agent.children.models import ChildModels
from desktop.agent.children.progress import ChildProgress
from desktop.agent.children.runs import ChildRuns, RunEnds
from desktop.agent.children.told import ChildNews
from desktop.agent.children.tools import ChatChildren, ChildMeans
from desktop.agent.core.offers import offer
from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme
from desktop.agent.gate.descent import agent_section
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.kin import LaneKin
from desktop.agent.lanes.stacks.locks import StackLocks
from desktop.agent.turns.build import Turns
from desktop.agent.turns.turn import Turn
from desktop.config.folders import resource_folder
from desktop.domain.core.update import Update
from desktop.tools.offers import Children, OwnChildren
from desktop.tools.registry import builtin_tools


class ChildrenTheme:
    """`agents` knows which agents there are, `runs` those that run."""

    def __init__(self, turns: Turns, cut_off: CutOff, base: LaneBase, rules: RuleCommands) -> None:
        work = turns.chats
        self._settings, self._turns = work.settings, turns.commands
        self.agents = Agents(resource_folder() / "agents", builtin_tools())
        locks = StackLocks(base.acts.use, work.sessions, LaneKin(base.ground.lanes))
        lanes = ChildLanes(
            base.ground, base.telling, base.acts, base.contents, Taking(locks, rules.refusing, rules.asking)
        )
        self.runs = ChildRuns(work.sessions, turns.commands, self.agents, ChildModels(work.settings), lanes)
        self._means = ChildMeans(self.runs, work.sessions, turns.commands, turns.slots, lanes)
        self._progress = progress = ChildProgress(self.runs)
        news = ChildNews(work.sessions, lambda child_id: self.runs.run_of(child_id) is not None)
        turns.between.add(news.waiting)
        turns.commands.beforehand.add(news.waiting)
        turns.commands.begun.add(self.runs.turn_begun)
        turns.commands.stopped.add(self.runs.stop_all_of)
        turns.limits.below.add(self.runs.below)
        turns.limits.turn_above.add(self._running_turn)
        cut_off.left.add(news.left)
        self.theme = Theme(
            "children",
            self.runs.handlers(),
            offers=(offer(Children, self._may_begin), offer(OwnChildren, self._has_begun)),
            saw=self._saw,
            closed_first=(self.runs, progress),
            closed_last=(RunEnds(self.runs),),
            prompt=self._section,
        )

    def _saw(self, update: Update) -> None:
        self._means.lanes.saw(update)
        self._progress.saw(update)

    def _may_begin(self, session: Session) -> ChatChildren | None:
        settings = self._settings.current
        if not settings.subagents or session.state.depth >= settings.subagent_depth:
            return None
        return ChatChildren(session, self._means)

    def _section(self, session: Session) -> str:
        """What a child is told of itself, and a chat that may begin some of the agents that it finds."""
        found = self.agents.told(session) if self._may_begin(session) is not None else ""
        return "\n\n".join(section for section in (agent_section(session), found) if section)

    def _has_begun(self, session: Session) -> ChatChildren | None:
        return ChatChildren(session, self._means) if session.state.children else None

    def _running_turn(self, session: Session) -> Turn | None:
        return self._turns.turn_of(session.session_id) if session.running else None
