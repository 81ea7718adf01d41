"""In what a command runs, and what the commands of one session have around them."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.policy.network.hosts import AllowedHost
from desktop.records import dataclass
from desktop.services.egress.egress import Way
from desktop.services.git.run import git_overrides
from desktop.services.processes.given_secrets import NO_SECRETS, GivenSecrets
from desktop.services.processes.witness import CommandWitness

READING_ENVIRONMENT = {**git_overrides(), "GOTOOLCHAIN": "local"}
"""What a command that was shown to only read gets beside the rest (gate-S17)."""


class ProcessError(BanksmanError):
    """A command could not be started, or there is no such background shell."""


class SandboxLost(ProcessError):
    """The sandbox did not come up for a command, which did not run. The next probe says what works now."""


def find_bash() -> str | None:
    """The absolute path of bash, or None: the bash tool is then not offered."""
    found = shutil.which("bash")
    return str(Path(found).absolute()) if found else None


@dataclass(frozen=True)
class Place:
    """In what a command runs, as it was decided. `network`: with the network of the machine. `reading`: it was shown to
    only read, so the lane cannot be written and git is kept from running what the lane configures. `confined` False:
    outside the sandbox, which a person allowed. `sandboxed`: it was allowed because there is a sandbox, so without one
    it does not run. `secrets`: what this command alone is given of those that people entrusted to agents. `hosts`: what
    it may reach by name where it has no network; with any of these it runs in bubblewrap or not at all."""

    network: bool = False
    reading: bool = False
    confined: bool = True
    sandboxed: bool = False
    secrets: GivenSecrets = NO_SECRETS
    hosts: tuple[AllowedHost, ...] = ()


IN_LANE = Place()


@dataclass(frozen=True)
class Given:
    """What each command of one session is started with. `variables`: what it gets beside the rest; told whether it was
    shown to only read. `on_leftover_ended` is told when what it left running was ended because of a limit. `way` opens
    the way out for a command that may reach named hosts; None: there is none."""

    variables: Callable[[bool], Mapping[str, str]] = lambda reading: {}
    on_leftover_ended: Callable[[str], object] = lambda words: None
    way: Callable[[tuple[AllowedHost, ...]], Way] | None = None


NOTHING_GIVEN = Given()


@dataclass(frozen=True)
class Around:
    """What the commands of one session have around them. `running_elsewhere`: background shells of other sessions, for
    the limit of all. `on_change`: called after a background shell started or ended. `witness` is told of each
    command."""

    running_elsewhere: Callable[[], int] = lambda: 0
    on_change: Callable[[], None] = lambda: None
    witness: CommandWitness | None = None
    given: Given = NOTHING_GIVEN


ALONE = Around()
