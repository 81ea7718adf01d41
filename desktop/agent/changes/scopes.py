"""ChangeScopes: which two states of a lane's files a scope compares."""

import asyncio
from dataclasses import field

from desktop.agent.changes.turn_files import TurnFiles, found_turn, turns_of
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.history.path_checkpoints import FilesAt
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.changes.values import ChangeScope, ScopeKind
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.changes.scope import commit_sides, lane_sides, uncommitted_sides
from desktop.services.changes.sides import Sides, Tree
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.history.checkpoints import LaneCheckpoints

_COUNTED: tuple[ScopeKind, ...] = ("lane", "uncommitted", "last_turn")
NO_CHAT = "Open a chat of this lane to see its turns."
NO_TURN = "This chat has had no turn yet."
NOT_KEPT = "The files as of {when} of {turn} were not kept."


@dataclass(frozen=True)
class Counted:
    """What is counted beside a listing: scopes by their sides, and counts that are known already."""

    sides: dict[str, Sides] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Between:
    """Two checkpoints. `after` None: the files now."""

    before: FilesAt
    after: FilesAt | None
    words: str


class ChangeScopes:
    """All on the engine thread; Git is asked on worker threads."""

    def __init__(self, keeper: LaneKeeper, sessions: Sessions, ground: Ground, files_of: FilesOf) -> None:
        self._keeper = keeper
        self._sessions = sessions
        self._ground = ground
        self._files_of = files_of

    async def sides(
        self, lane: Lane, files: LaneFiles, scope: ChangeScope, session_id: str, *, listing: bool = False
    ) -> Sides:
        """The two states; with a `problem` where there are none. `listing`: for a list, where checkpoints are compared
        tree with tree; for one file its bytes are read as they are now.

        Raises:
            BanksmanError: they cannot be read, or there is no such commit, checkpoint or turn.
        """
        git = Git(files.root)
        if scope.kind == "lane":
            return await asyncio.to_thread(lane_sides, git, lane)
        if scope.kind == "uncommitted":
            return await asyncio.to_thread(uncommitted_sides, git)
        if scope.kind == "commit":
            return await asyncio.to_thread(commit_sides, git, scope.reference)
        if scope.kind == "other_lane":
            return await self._against(lane, files, self._ground.lane(scope.reference), listing=listing)
        if scope.kind == "checkpoint":
            between: _Between | str = _Between(FilesAt(scope.reference), None, "checkpoint")
        else:
            between = self._turn(lane, scope, session_id)
        if isinstance(between, str):
            return Sides(Tree(""), problem=between)
        return await self._keeper.work_in(lane, files, lambda kept: _sides(kept, between, listing=listing))

    async def _against(self, lane: Lane, files: LaneFiles, other: Lane, *, listing: bool) -> Sides:
        """The files against those of another lane as they are now."""
        theirs, large = await self._keeper.work_in(other, self._files_of(other), lambda kept: kept.tree_now())
        if not listing:
            return Sides(Tree(theirs), words=other.name)
        ours, too = await self._keeper.work_in(lane, files, lambda kept: kept.tree_now())
        differing = _differing(tuple(large.items()), tuple(too.items()))
        return Sides(Tree(theirs), Tree(ours), words=other.name, large=differing)

    async def counted(self, lane: Lane, files: LaneFiles, session_id: str, shown: ScopeKind, sides: Sides) -> Counted:
        """What is counted beside every listing; what cannot be read is left out. `shown`: the listed scope, whose
        sides are known."""
        found, known = Counted(), dict[str, int]()
        for kind in _COUNTED:
            if kind == shown:
                found.sides[kind] = sides
                continue
            try:
                other = await self.sides(lane, files, ChangeScope(kind=kind), session_id)
            except BanksmanError:
                continue
            if not other.problem:
                found.sides[kind] = other
        between = self._turn(lane, ChangeScope(kind="outside"), session_id)
        if not isinstance(between, str) and between.after is None:
            try:
                known["outside"] = await self._keeper.work_in(
                    lane,
                    files,
                    lambda kept: len(kept.differing(kept.find(between.before.checkpoint_id, between.before.commit))),
                )
            except BanksmanError:
                known = {}
        return Counted(found.sides, known)

    def _turn(self, lane: Lane, scope: ChangeScope, session_id: str) -> "_Between | str":
        """The checkpoints around a turn, or around the time without one; or why there are none."""
        session = self._session(lane, session_id)
        if session is None:
            return NO_CHAT
        turns = turns_of(session.log)
        standing = [turn for turn in turns if not turn.left]
        if not standing:
            return NO_TURN
        asked = found_turn(turns, scope.reference) if scope.reference else standing[-1]
        if asked is None:
            return f"There is no turn {scope.reference} in this chat."
        if scope.kind == "outside":
            return _outside(session, turns, asked if scope.reference else None, standing[-1])
        return _during(session, asked, running=session.running and asked is turns[-1])

    def _session(self, lane: Lane, session_id: str) -> Session | None:
        if session_id:
            return self._sessions.get(session_id)
        open_ones = [one for one in self._sessions.in_lane(lane.id) if one.state.head_seq >= 0]
        return max(open_ones, key=lambda one: one.last_at, default=None)


def _during(session: Session, turn: TurnFiles, *, running: bool) -> _Between | str:
    if turn.start is None:
        return "The turn has just begun." if running else NOT_KEPT.format(when="the start", turn=turn.words)
    if running:
        return _Between(turn.start, None, f"the start of {turn.words}")
    if turn.end is None and turn.changing:
        return _Between(turn.start, None, f"the start of {turn.words}, whose end was not kept")
    return _Between(turn.start, turn.end or turn.start, f"the start of {turn.words}")


def _outside(session: Session, turns: list[TurnFiles], asked: TurnFiles | None, last: TurnFiles) -> _Between | str:
    """From the end of a turn to the start of the next; `asked`: the one whose start it ends with, None: until now."""
    if asked is None and not session.running:
        before, until = last, None
    else:
        until = asked or last
        earlier = turns[: turns.index(until)]
        if not earlier:
            return "Nothing is kept from before the first turn."
        before = earlier[-1]
    ended = before.end or (None if before.changing else before.start)
    if ended is None:
        return NOT_KEPT.format(when="the end", turn=before.words)
    if until is not None and until.start is None:
        return NOT_KEPT.format(when="the start", turn=until.words)
    return _Between(ended, until.start if until is not None else None, f"the end of {before.words}")


def _sides(kept: LaneCheckpoints, between: _Between, *, listing: bool) -> Sides:
    before = kept.find(between.before.checkpoint_id, between.before.commit)
    old = Tree(before.tree)
    if between.after is not None:
        after = kept.find(between.after.checkpoint_id, between.after.commit)
        since = frozenset(kept.differing(after)) if listing else frozenset()
        return Sides(old, Tree(after.tree), between.words, since=since, large=_differing(before.large, after.large))
    if not listing:
        return Sides(old, words=between.words)
    tree, large = kept.tree_now()
    return Sides(old, Tree(tree), between.words, large=_differing(before.large, tuple(large.items())))


def _differing(before: tuple[tuple[str, str], ...], after: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    was, now = dict(before), dict(after)
    return tuple(sorted(path for path in {*was, *now} if was.get(path) != now.get(path)))
