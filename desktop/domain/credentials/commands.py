"""Commands about credentials."""

from dataclasses import field
from typing import ClassVar, Literal

from pydantic import SecretStr

from desktop.domain.core.command import Command
from desktop.domain.credentials.values import Kept


class StoreCredential(Command):
    """Keep the secret that a person typed on an open card, which is answered by it, or ("") wants to keep by
    themselves for chats of this one's repository. `names`: the variables as which it may be given; `hosts`: to which it
    may be sent.
    → CredentialsChanged, or CommandFailed; the card stays open then."""

    type: Literal["store_credential"] = "store_credential"
    session_id: str
    input_id: str = ""
    value: SecretStr = field(repr=False)
    provider: str
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    kept: Kept = "closed"


class EditCredential(Command):
    """Change what a kept secret is for, as which variables it may be given and to which hosts it may be sent; its value
    stays unread. → CredentialsChanged."""

    type: Literal["edit_credential"] = "edit_credential"
    secret_id: str
    provider: str
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class ChooseCredential(Command):
    """Answer the open card for a skill's secret with one that is kept. → CredentialsChanged, or CommandFailed; the card
    stays open then."""

    type: Literal["choose_credential"] = "choose_credential"
    session_id: str
    input_id: str
    secret_id: str


class RevokeCredential(Command):
    """Forget a secret, wherever it is. Open cards that name it are closed. → CredentialsChanged."""

    type: Literal["revoke_credential"] = "revoke_credential"
    secret_id: str


class LookAtKeyring(Command):
    """Tell the card of this input whether there is a keyring. → KeyringLooked."""

    reads: ClassVar[bool] = True
    type: Literal["look_at_keyring"] = "look_at_keyring"
    input_id: str


class LoadCredentials(Command):
    """Tell which secrets there are. → CredentialsChanged."""

    reads: ClassVar[bool] = True
    type: Literal["load_credentials"] = "load_credentials"
