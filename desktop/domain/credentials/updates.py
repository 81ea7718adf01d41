"""Updates about credentials: passing state, never stored."""

from desktop.domain.core.update import Answer, Outcome
from desktop.domain.credentials.values import Credential
from desktop.records import dataclass


@dataclass(frozen=True)
class Holder:
    """A command that runs and was given a secret. `shell_id`: of a background command, "" for the one of a turn."""

    secret_id: str
    session_id: str
    shell_id: str
    command: str


class KeyringLooked(Answer):
    """Whether there is a keyring, for the card of this input: "" or why a secret lasts only until Banksman closes."""

    input_id: str
    problem: str = ""


class CredentialsChanged(Outcome):
    """All secrets that agents may ask to use, the newest first, and the commands that hold one, also one that was
    removed meanwhile. `keyring_problem`: why they last only until Banksman closes, "" for no reason."""

    credentials: tuple[Credential, ...]
    holders: tuple[Holder, ...] = ()
    keyring_problem: str = ""
    command_id: str = ""
