"""CommandWorld: what the commands of chats run in: the sandbox, the variables of their lane, and who records them."""

from collections.abc import Callable, Mapping

from desktop.agent.core.session import Session
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.egress.egress import Egress
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.witness import CommandWitness

IsOpen = Callable[[], bool]


@dataclass(frozen=True)
class CommandWorld:
    """`lane_env`: what the trusted file of a lane's repository sets for its commands; `witness_for`: who is told of the
    commands of a chat, which can be written to while that says so. `egress`: the way out for those that may
    reach named hosts."""

    sandbox: Sandbox
    lane_env: Callable[[Lane], Mapping[str, str]]
    witness_for: Callable[[Session, IsOpen], CommandWitness]
    egress: Egress
