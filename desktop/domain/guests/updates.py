"""Updates about guests, as people see them."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.service_kinds import Dialect
from desktop.domain.core.update import Answer, Stand, Update
from desktop.domain.guests.values import GuestAbilities, GuestOption, GuestSignIn, GuestSlash

GuestState = Literal["running", "resting", "missing"]


class GuestListing(Frozen):
    """An agent that is known. `program`: the file that was found, "" where it is not installed; `problem`: why it
    cannot be used as things are, a sentence; `install`: the command that installs it. `asks`: it asks before it acts.
    `home_folders`: its real configuration folders, below the home folder. `signs_in`: it has words for a sign-in in a
    terminal. `takes_model`: in what it can ask a model through Banksman without having the key, "" for not at all; of
    `endpoint_id`, "" for its own sign-in. `hosts`: what it may reach then. `login`: the words that sign it in, in a
    terminal; `home_path`: the folder that is its home. `seen_at`: the version of which all this was found."""

    id: str
    label: str
    program: str = ""
    sha256: str = ""
    problem: str = ""
    install: str = ""
    asks: bool = True
    home_folders: tuple[str, ...] = ()
    signs_in: bool = False
    takes_model: Dialect | Literal[""] = ""
    endpoint_id: str = ""
    hosts: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    home_path: str = ""
    seen_at: str = ""


class GuestsListed(Answer):
    """The agents that are known, those that are shipped first. `faults`: what is wrong in their files."""

    guests: tuple[GuestListing, ...]
    faults: tuple[str, ...] = ()


class GuestTested(Answer):
    """How an agent was started on trial. `text`: what came of it; `took_ms`: until it had introduced itself;
    `needs_sign_in`: it starts, and wants somebody to sign in. `log`: the last lines of its own."""

    guest_id: str
    ok: bool
    text: str
    took_ms: int = 0
    needs_sign_in: bool = False
    abilities: GuestAbilities = GuestAbilities()
    options: tuple[GuestOption, ...] = ()
    sign_ins: tuple[GuestSignIn, ...] = ()
    log: tuple[str, ...] = ()


class GuestSignedIn(Answer):
    """How a sign-in of an agent came out. `text`: a sentence; `log`: the last lines of its own, where it failed."""

    guest_id: str
    method_id: str
    ok: bool
    text: str
    log: tuple[str, ...] = ()


class GuestChanged(Update):
    """The agent of a chat and what can be done with it. `state`: its process runs, or the next message starts it, or it
    is not there, as `problem` says. `lines`: what keeps it, one a control, in words; `commands`: its own."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    session_id: str
    guest_id: str
    label: str
    version: str = ""
    state: GuestState = "resting"
    problem: str = ""
    abilities: GuestAbilities = GuestAbilities()
    options: tuple[GuestOption, ...] = ()
    commands: tuple[GuestSlash, ...] = ()
    lines: tuple[str, ...] = ()

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest of each chat."""
        return ((self.session_id, self),)
