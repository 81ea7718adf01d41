"""EngineOptions: how an engine is used, by a window, a run without one, or a test."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.agent.core.theme import Theme
from desktop.agent.turns.driver import TurnDriver
from desktop.agent.turns.frame import LoopParts
from desktop.agent.turns.loop import AgentLoop
from desktop.config.releases import ReleaseSource, release_source
from desktop.config.settings import Endpoint
from desktop.domain.events import SessionKind
from desktop.domain.gate.sandbox import SandboxReport
from desktop.records import dataclass
from desktop.services.egress.connecting import Resolver, system_addresses
from desktop.services.egress.egress import Egress
from desktop.services.github.pace import USUAL_PACE, Pace
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.processes.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from desktop.agent.guests.starting.launching import GuestStarter


@dataclass(frozen=True)
class EngineOptions:
    """How an engine is used. `can_ask`: a person can answer cards. `kind`: `hosted` for a run without a window, where
    writes ask until they are granted. `has_window`: a window shows its chats, so what cannot be shown elsewhere is
    answered there. `demo_pace_s`: seconds between two pieces of the demo's text, None for its own pace.
    `extra_endpoint`: one more model service for this process only. `sandbox`: the program's own, if it is being tried
    already; `found`: what another engine of this process found of it. `spare`: files that are being written for the
    first lane. `github_pace`: how requests to GitHub follow each other. `resolve`: gives the addresses of hosts that
    agents reach. `egress`: the way out for commands that may reach named hosts, None: the program's own. `driver`:
    makes what carries out the turns of chats. `releases`: gives where newer versions are asked for. `guests`: gives
    what starts guests, None: the program's own. `themes`: more than the program's own, listed after them."""

    can_ask: bool = True
    kind: SessionKind = "interactive"
    has_window: bool = True
    demo_pace_s: float | None = None
    extra_endpoint: Endpoint | None = None
    sandbox: Sandbox | None = None
    found: SandboxReport | None = None
    spare: SpareFiles | None = None
    github_pace: Pace = USUAL_PACE
    resolve: Resolver = system_addresses
    egress: Egress | None = None
    driver: Callable[[LoopParts], TurnDriver] = AgentLoop
    releases: Callable[[], ReleaseSource | None] = release_source
    guests: "Callable[[], GuestStarter] | None" = None
    themes: tuple[Theme, ...] = ()


WINDOW = EngineOptions()
