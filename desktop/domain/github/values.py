"""The connection to GitHub: who is signed in where, what it allows at the moment, and how its errors are told."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryFacts

AccountState = Literal["none", "checking", "connected", "expired", "offline"]
SignInSource = Literal["", "token", "gh", "device", "environment"]
KeptIn = Literal["none", "keyring", "memory", "environment"]
SLOW_BELOW = 0.1


class GitHubError(BanksmanError):
    """GitHub did not tell or do something. `problem` says what and what to do next; `status`: the answer's, 0 for none.

    `answer_lost`: a write was sent and what came of it is not known; look it up before anything is repeated.
    `said`: GitHub's own words, untrusted.
    """

    def __init__(self, problem: ForgeProblem, *, status: int = 0, answer_lost: bool = False, said: str = "") -> None:
        super().__init__(problem.text)
        self.problem = problem
        self.status = status
        self.answer_lost = answer_lost
        self.said = said

    @property
    def kind(self) -> str:
        """The kind of the problem."""
        return self.problem.kind


class GitHubAccount(Frozen):
    """The account of the person at one host of GitHub. `read_only`: why nothing can be written, "" when it can.
    `scopes`: of a token that has some; `expires_at` None: it does not expire, or does not tell. `device`: a device code
    is offered. `problem`: a sentence about what failed last."""

    host: str
    api_url: str
    state: AccountState = "none"
    login: str = ""
    source: SignInSource = ""
    kept: KeptIn = "none"
    scopes: tuple[str, ...] = ()
    expires_at: datetime | None = None
    read_only: str = ""
    device: bool = False
    problem: str = ""


class RateState(Frozen):
    """The rate limit of a host: how much it still answers. `share`: of the smallest quota, 1 when not told.
    `wait_until`: it is asked nothing before that; `reason` says why."""

    host: str
    share: float = 1.0
    reset_at: datetime | None = None
    wait_until: datetime | None = None
    reason: str = ""

    @property
    def slow(self) -> bool:
        """Less than a tenth of the quota is left, so polling slows four-fold (lanes-G21)."""
        return self.share < SLOW_BELOW


def read_only_reason(account: GitHubAccount, facts: RepositoryFacts) -> str:
    """Why pull requests of this repository can only be read, "" when they can be written."""
    if account.read_only:
        return account.read_only
    if facts.archived:
        return f"{facts.repository.slug} is archived, so it can only be read."
    if account.scopes and "repo" not in account.scopes and facts.private:
        return f"The token lacks the right repo, which the private {facts.repository.slug} needs."
    return ""
