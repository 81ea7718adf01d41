"""The hindrances to opening a request from a lane, each with its words and its own action (lanes-P6). Pure."""

from collections.abc import Iterator

from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import Hindrance
from desktop.records import dataclass
from desktop.services.changes.push import PushPlan
from desktop.services.changes.work import LaneWork
from desktop.services.files.names import shown_name

MOST_FILES = 5


@dataclass(frozen=True)
class Proposal:
    """A request that somebody may want to open. `push` None: it cannot be pushed, `not_pushed` says why and `way` names
    what can be done about it. `same_place`: its branch goes to the repository that holds the base; `existing`: the
    number of the branch's open request."""

    lane: Lane
    work: LaneWork
    push: PushPlan | None
    base: str
    remote: str
    same_place: bool = True
    not_pushed: str = ""
    way: str = ""
    read_only: str = ""
    existing: int = 0


def creation_hindrances(given: Proposal) -> tuple[Hindrance, ...]:
    """The hindrances to opening a pull request, those that cannot be passed over first."""
    found = [*_fixed(given), *_passable(given)]
    if given.not_pushed:
        found.append(Hindrance(kind="not_pushed", text=given.not_pushed, action=given.way))
    if given.read_only:
        found.append(Hindrance(kind="read_only", text=given.read_only))
    if given.existing:
        text = f"Pull request #{given.existing} already exists for this branch. It will be linked."
        found.append(Hindrance(kind="exists", text=text, blocks=False))
    return tuple(sorted(found, key=lambda one: not one.blocks))


def _fixed(given: Proposal) -> Iterator[Hindrance]:
    lane, work, base = given.lane, given.work, given.base
    if work.operation:
        text = f"A {work.operation} is open in this lane. Continue or abort it first."
        yield Hindrance(kind="operation", text=text, action="operation")
    elif not work.branch or work.branch != lane.branch:
        where = f"on {work.branch}" if work.branch else "on no branch"
        yield Hindrance(kind="branch", text=f"The lane is {where}, not on {lane.branch or 'a branch of its own'}.")
    if not base:
        yield Hindrance(kind="base", text="Choose the branch that the request should be merged into.")
    elif given.same_place and work.branch == base:
        yield Hindrance(kind="same_branch", text=f"The branch {base} cannot be proposed to itself.")
    elif not work.base_oid:
        yield Hindrance(kind="base", text=f"{given.remote}/{base} is not known here. Fetch it first.", action="fetch")
    elif not work.subjects and not work.files:
        text = f"Nothing to propose: {work.branch or 'the lane'} has no commit that {base} lacks."
        yield Hindrance(kind="nothing_ahead", text=text)


def _passable(given: Proposal) -> Iterator[Hindrance]:
    work, push, base = given.work, given.push, f"{given.remote}/{given.base}"
    if work.dirty:
        text = f"Not committed: {_listed(work.dirty)}. It stays out of the request."
        yield Hindrance(kind="dirty", text=text, blocks=False, action="commit")
    if push is not None and push.rewritten:
        text = (
            f"{push.remote}/{push.branch} has commits that this lane does not have any more. Opening the request "
            "replaces what was last seen there."
        )
        yield Hindrance(kind="rewritten", text=text, blocks=False)
    if work.conflicts:
        text = f"Conflicts with {base} in {_listed(work.conflicts)}."
        yield Hindrance(kind="conflict", text=text, blocks=False, action="rebase")
    elif work.behind:
        text = f"1 commit behind {base}." if work.behind == 1 else f"{work.behind} commits behind {base}."
        yield Hindrance(kind="behind", text=text, blocks=False, action="rebase")


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_FILES} more" if len(names) > MOST_FILES else ""
    return ", ".join(shown_name(name) for name in names[:MOST_FILES]) + more
