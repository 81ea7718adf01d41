"""Updates about the connection to GitHub: passing state, never stored. No token is in any of them."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.update import Outcome, Update
from desktop.domain.github.values import GitHubAccount, RateState

SignInStep = Literal["asking", "code", "done", "failed", "expired", "denied", "stopped"]


class GitHubChanged(Update):
    """The accounts at every host of GitHub, in the order of the settings. `gh`: the `gh` command line is there.
    `keyring_problem`: why a token lasts only until the program ends."""

    accounts: tuple[GitHubAccount, ...]
    gh: bool = False
    keyring_problem: str = ""


class SignInProgress(Outcome):
    """A step of one sign-in. code: the person types `user_code` at `address` before `expires_at`. expired: another code
    can be asked for. `text`: a sentence. Every window's settings show it."""

    host: str
    step: SignInStep
    command_id: str = ""
    user_code: str = ""
    address: str = ""
    expires_at: datetime | None = None
    text: str = ""


class RateLimited(Update):
    """A host wants to be asked less, or (`state.wait_until` None, not slow) no longer."""

    state: RateState
