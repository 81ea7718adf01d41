"""Updates about pull requests."""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Outcome, Stand, Update
from desktop.domain.pulls.pull_request import (
    Annotation,
    CheckStep,
    ForgeMergeMethod,
    ForgeProblem,
    Hindrance,
    PullSnapshot,
    PullSummary,
)

TransitionKind = Literal[
    "checks_failed",
    "checks_passed",
    "changes_requested",
    "approved",
    "review_asked",
    "ready_to_merge",
    "merged",
    "closed",
    "round_paused",
]


class PullRequestChanged(Update):
    """The state of a lane's pull request changed. `loading`: it is being asked for. `remotes`: to choose from, where
    the problem is choose_remote."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    snapshot: PullSnapshot
    loading: bool = False
    remotes: tuple[str, ...] = ()

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest snapshot of each lane's pull request."""
        return ((self.snapshot.lane_id, self),)


class PullRequestPlanned(Answer):
    """Words and places for a request that does not exist yet. `files`: how many differ from the base. `pushes`: commits
    that the push would send, None where the branch is new there. `template`: the body comes from the project's file."""

    lane_id: str
    title: str = ""
    body: str = ""
    base: str = ""
    bases: tuple[str, ...] = ()
    branch: str = ""
    remote: str = ""
    repository: str = ""
    private: bool | None = None
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    files: int = 0
    pushes: int | None = None
    template: bool = False
    hindrances: tuple[Hindrance, ...] = ()


class PullTextSuggested(Answer):
    """The model's words for a request; `problem`: why there are none."""

    lane_id: str
    title: str = ""
    body: str = ""
    problem: str = ""


class PullRequestCreated(Answer):
    """The request exists. `adopted`: it was there already. `notices`: what beside it failed, in sentences."""

    lane_id: str
    number: int
    url: str
    adopted: bool = False
    notices: tuple[str, ...] = ()


class OwnForkUsed(Outcome):
    """The branches of this lane's repository go to the person's fork, which is this remote. Every window that shows the
    lane plans its request anew."""

    command_id: str
    lane_id: str
    repository: str
    remote: str


class CheckLoaded(Answer):
    """The details of a check. `job_id`: whose log can be asked for, 0 for none."""

    lane_id: str
    check_id: int
    job_id: int = 0
    steps: tuple[CheckStep, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    problem: str = ""


class CheckLogLoaded(Answer):
    """A job's log, secrets masked. `lines`: all of them or the last; `total`: how many there are. `gone`: no longer
    kept by the forge."""

    lane_id: str
    job_id: int
    lines: tuple[str, ...] = ()
    total: int = 0
    gone: bool = False
    url: str = ""
    problem: str = ""


class ForeignPictureLoaded(Answer):
    """A picture that foreign text names. `data`: a PNG made by our own helper; `problem`: why there is none."""

    address: str
    data: bytes = b""
    problem: str = ""


class RerunResult(Frozen):
    """The result of asking for one check to run again. `problem`: why it could not be."""

    name: str
    problem: str = ""


class ChecksRerun(Answer):
    """The results of asking for checks to run again, one for each check."""

    lane_id: str
    results: tuple[RerunResult, ...]


class PullMergePlanned(Answer):
    """The plan of merging a pull request. `typed`: the request's number has to be typed."""

    lane_id: str
    number: int
    head_oid: str
    methods: tuple[ForgeMergeMethod, ...] = ()
    method: ForgeMergeMethod = "merge"
    hindrances: tuple[Hindrance, ...] = ()
    typed: bool = False
    evidence: str = ""
    can_delete_branch: bool = False


class PullRequestMerged(Answer):
    """The pull request of a lane is merged. `notices`: sentences about steps after the merge that failed."""

    lane_id: str
    number: int
    merge_oid: str = ""
    notices: tuple[str, ...] = ()
    archived: bool = False


class PullRequestsListed(Answer):
    """The open requests of the repository, newest first. `capped`: only the first 1,000."""

    lane_id: str
    requests: tuple[PullSummary, ...] = ()
    viewer: str = ""
    capped: bool = False
    problem: ForgeProblem | None = None


class PullTransition(Update):
    """Something changed that a person should hear of, told once. `notify`: by a system notification too."""

    lane_id: str
    number: int
    kind: TransitionKind
    text: str
    notify: bool = False
    at: datetime
