"""Surroundings: where this program runs: its folders, the sandbox of this computer, and whether it has a window."""

from desktop.config.folders import Folders
from desktop.records import dataclass
from desktop.services.egress.egress import Egress
from desktop.services.processes.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class Surroundings:
    """`has_window`: there is a window, which can take pictures of the screen. `egress`: the way out to named hosts."""

    folders: Folders
    sandbox: Sandbox
    has_window: bool
    egress: Egress
