"""The calls that the tools about pushing and pull requests make to the engine, for the chat that calls them."""

from typing import Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.pulls.pull_request import Comment
from desktop.domain.pulls.updates import RerunResult

PullName = str | int | None


class Pushed(Frozen):
    """A push that was done. `commits`: how many the remote lacked; `notice`: a sentence, "" for none."""

    remote: str
    branch: str
    oid: str
    commits: int
    notice: str = ""


class WantedRequest(Frozen):
    """A request as an agent asks for it. `lane_id` "": the chat's own lane. `target`: as the gate saw it."""

    lane_id: str = ""
    title: str = ""
    body: str = ""
    draft: bool = False
    base: str = ""
    target: str = ""


class Opened(Frozen):
    """A request that is there now. `adopted`: it was there before. `notices`: sentences."""

    number: int
    url: str
    draft: bool
    adopted: bool
    notices: tuple[str, ...] = ()


class ChatPulls(Protocol):
    """Pushes and requests of one chat's lane. What names a target asks nobody and may take some milliseconds; what is
    awaited raises BanksmanError with a sentence for the model."""

    @property
    def connected(self) -> bool:
        """Somebody is signed in to a host of the repository's remotes."""

    @property
    def has_open(self) -> bool:
        """The lane has an open pull request, by what is known."""

    @property
    def source(self) -> str:
        """The name of the lane's request as a source of untrusted text."""

    def push_target(self) -> str:
        """The remote and branch to which the lane's branch would go, in words; "" when that is not known."""

    def open_target(self, wanted: WantedRequest) -> str:
        """The request that would be opened and where, with the words that the call leaves to the default."""

    def is_own_lane(self, lane_id: str) -> bool:
        """Whether this names the chat's own lane."""

    def request_target(self, pr: PullName) -> str:
        """The request that is meant, and the account used. Raises ValueError for one that is not the lane's."""

    def thread_target(self, thread_id: str) -> str:
        """The place of a thread and what was said last, as far as it is known."""

    def unanswered(self, thread_id: str) -> str:
        """Why resolving this thread needs a person's word, "" when it does not or is not known (lanes-P30)."""

    def secrets_in(self, *texts: str) -> tuple[str, ...]:
        """Names of the secrets that stand in texts."""

    async def push(self, *, after_rewrite: bool, target: str) -> Pushed:
        """Push the lane's branch to where the gate saw it go."""

    async def open(self, wanted: WantedRequest) -> Opened:
        """Push the branch and open a request, or link the one that is there."""

    async def rerun(self, names: tuple[str, ...]) -> tuple[RerunResult, ...]:
        """Run failed checks again."""

    async def reply(self, thread_id: str, body: str) -> Comment:
        """Reply in a thread of the lane's request; the reply."""

    async def resolve(self, thread_id: str, *, person_asked: bool) -> bool:
        """Resolve a thread of the lane's request. False: it was resolved already."""
