"""ResolutionPlanner: the exact prompt of a round, and why the round cannot begin, found out before there is a chat."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

from desktop.agent.core.ground import Ground
from desktop.agent.gate.commands import NO_SANDBOX
from desktop.agent.rounds.book import OwnPull, ResolutionBook, next_round
from desktop.agent.turns.starter import ChatStarter
from desktop.domain.commands import NewSession
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.events import SandboxChosen
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.rounds.inventory import availability, in_scope
from desktop.domain.rounds.items import RESOLVER_MODES, Availability, IssueItem, LaunchChoice, RoundRecord
from desktop.domain.rounds.prompt import MOST_COMMITS, PromptFacts, is_test, resolution_prompt
from desktop.domain.rounds.updates import ResolutionPreview
from desktop.records import dataclass
from desktop.services.lanes.identity import lane_moved, misplaced_words
from desktop.services.rounds.facts import LaneRoundFacts, round_facts
from desktop.tools.untrusted import untrusted

NEEDED = (
    "pr_refresh_issue_inventory",
    "pr_rerun_failed_checks",
    "pr_reply_to_review_thread",
    "pr_resolve_review_thread",
    "push_lane",
)
NO_PULL = "This lane has no pull request that is known yet."
ToolNames = Callable[[PermissionMode], frozenset[str]]


@dataclass(frozen=True)
class Plan:
    """A round that could begin, or why it cannot (`problem`). `own` None: there is no request. `asks_sandbox`: it needs
    the person's word for full auto with the sandbox of this computer; `chosen_sandbox`: what that word is for."""

    lane: Lane
    own: OwnPull | None
    choice: LaunchChoice
    available: Availability
    number: int = 1
    rounds: int = 1
    prompt: str = ""
    problem: str = ""
    items: tuple[IssueItem, ...] = ()
    chosen: tuple[IssueItem, ...] = ()
    head: str = ""
    modes: tuple[PermissionMode, ...] = ()
    asks_sandbox: bool = False
    chosen_sandbox: SandboxChosen | None = None

    @property
    def digest(self) -> str:
        """Hex SHA-256 of all that a person saw and chose; "" when it cannot begin."""
        if self.problem or self.own is None:
            return ""
        seen = {
            "lane": self.lane.id,
            "pull": self.own.key,
            "head": self.head,
            "round": self.number,
            "prompt": self.prompt,
            "choice": self.choice.model_dump(mode="json"),
        }
        text = json.dumps(seen, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def preview(self, command_id: str) -> ResolutionPreview:
        """What the window shows of it."""
        return ResolutionPreview(
            command_id=command_id,
            lane_id=self.lane.id,
            number=self.own.pull.number if self.own is not None else 0,
            round=self.number,
            rounds=self.rounds,
            prompt=self.prompt,
            digest=self.digest,
            problem=self.problem,
            choice=self.choice,
            items=self.items,
            availability=self.available,
            modes=self.modes,
            asks_sandbox=self.asks_sandbox,
        )


class ResolutionPlanner:
    """Engine thread; git works on worker threads. `tools`: the names that a resolver chat of a mode is offered."""

    def __init__(self, ground: Ground, starter: ChatStarter, book: ResolutionBook, tools: ToolNames) -> None:
        self._ground = ground
        self._starter = starter
        self._book = book
        self.tools = tools

    async def plan(self, lane_id: str, choice: LaunchChoice) -> Plan:
        """The round as it would begin now, with fresh data.

        Raises:
            CommandError: there is no such lane.
        """
        lane = self._ground.lane(lane_id)
        snapshot = await self._book.fresh(lane_id)
        own = self._book.find(lane_id)
        if own is None:
            problem = snapshot.problem.text if snapshot.problem is not None else NO_PULL
            return Plan(lane, None, choice, Availability(), problem=problem)
        items = self._book.items(own.key)
        chosen = _chosen(items, choice)
        run, rounds = self._book.run(own.key), self._book.rounds(own.key)
        number = next_round(run, rounds)
        most = max(self._book.settings(own.key).max_rounds, number)
        commits = min(MOST_COMMITS, len(own.snapshot.commits) or MOST_COMMITS)
        found = await asyncio.to_thread(round_facts, lane, own.pull.head_oid, commits)
        available = availability(own.snapshot, items)
        modes = tuple(mode for mode in RESOLVER_MODES if set(NEEDED) <= self.tools(mode))
        named = choice.model_copy(update={"item_ids": tuple(item.id for item in chosen)})
        plan = Plan(
            lane,
            own,
            named,
            available,
            number,
            most,
            items=items,
            chosen=chosen,
            head=found.head,
            modes=modes,
        )
        plan = replace(plan, prompt=resolution_prompt(_prompt_facts(plan, own, found, rounds), _quoted))
        return await self._judged(plan, snapshot, found)

    async def _judged(self, plan: Plan, snapshot: PullSnapshot, found: LaneRoundFacts) -> Plan:
        """The plan with the first reason why it cannot begin (lanes-P27), if there is one."""
        known = self._known_problem(plan, snapshot) or found.unfit
        if known:
            return replace(plan, problem=known)
        command = NewSession(
            session_id="ses_preview",
            lane_id=plan.lane.id,
            text=plan.prompt,
            mode=plan.choice.mode,
            endpoint_id=plan.choice.endpoint_id,
            model=plan.choice.model,
            without_sandbox=plan.choice.without_sandbox,
        )
        try:
            _command, events = await self._starter.checked(command)
        except BanksmanError as error:
            asks = isinstance(error, CommandError) and error.code == NO_SANDBOX
            return replace(plan, problem=str(error), asks_sandbox=asks)
        return replace(plan, chosen_sandbox=next((one for one in events if isinstance(one, SandboxChosen)), None))

    def _known_problem(self, plan: Plan, snapshot: PullSnapshot) -> str:
        own, lane = plan.own, plan.lane
        if snapshot.problem is not None:
            return snapshot.problem.text
        if own is None:
            return NO_PULL
        if own.pull.state in ("merged", "closed"):
            return f"The pull request is {own.pull.state}."
        if snapshot.read_only:
            return snapshot.read_only
        if lane.type == "primary":
            return "Your own checkout is no lane for this. Open the branch as a lane first."
        if lane.state != "active":
            return f"The lane '{lane.name}' is {lane.state}."
        if lane_moved(lane):
            return misplaced_words(lane)
        return self._already(own.key) or self._choice_problem(plan)

    def _choice_problem(self, plan: Plan) -> str:
        refused = plan.available.why(plan.choice.scope)
        if plan.choice.scope != "comments" and plan.available.pending and _has_checks(plan.chosen):
            refused = plan.available.why_checks
        if refused:
            return refused
        if not plan.chosen:
            return "Nothing is ticked."
        missing = sorted(set(NEEDED) - self.tools(plan.choice.mode))
        return f"{missing[0]} is not offered in {plan.choice.mode.value} mode here." if missing else ""

    def _already(self, key: str) -> str:
        run = self._book.run(key)
        if run.state in ("launching", "running"):
            return "A resolution chat for this pull request is already running."
        return ""


def _quoted(source: str, text: str) -> str:
    return untrusted(source, f"\n{text}\n")


def _chosen(items: tuple[IssueItem, ...], choice: LaunchChoice) -> tuple[IssueItem, ...]:
    """What is given to the agent: what was ticked, else every new item of the scope."""
    scoped = in_scope(items, choice.scope)
    if choice.item_ids:
        return tuple(item for item in scoped if item.id in choice.item_ids and item.state not in ("fixed",))
    return tuple(item for item in scoped if item.state == "new")


def _has_checks(items: tuple[IssueItem, ...]) -> bool:
    return any(item.type == "check" for item in items)


def _prompt_facts(plan: Plan, own: OwnPull, found: LaneRoundFacts, earlier: tuple[RoundRecord, ...]) -> PromptFacts:
    pull, files = own.pull, tuple(file.path for file in own.snapshot.files)
    return PromptFacts(
        number=pull.number,
        title=pull.title,
        url=pull.url,
        repository=pull.repository.slug,
        branch=plan.lane.branch,
        base=pull.base,
        head=pull.head_oid,
        lane=plan.lane.name,
        round=plan.number,
        rounds=plan.rounds,
        scope=plan.choice.scope,
        purpose=pull.body,
        commits=found.commits,
        files=files,
        tests=tuple(filter(is_test, files)),
        items=plan.chosen,
        earlier=earlier,
        instructions=plan.choice.instructions,
    )
