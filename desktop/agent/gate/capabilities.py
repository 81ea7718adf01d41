"""What a chat has that tools need (tools 3.3)."""

from desktop.agent.core.session import Session
from desktop.services.databases.connections import Databases
from desktop.tools.proof_calls import ChatProofs
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.tool import Capability


def capabilities(
    session: Session, *, can_ask: bool, databases: Databases | None, proofs: ChatProofs | None, pulls: ChatPulls | None
) -> frozenset[Capability]:
    """Those that are there now. Asks nobody."""
    connected = pulls is not None and pulls.connected
    there: dict[Capability, bool] = {
        "lane": session.files is not None,
        "bash": session.processes is not None and session.processes.has_bash,
        "background_shell": session.processes is not None and bool(session.processes.shells()),
        "person": can_ask,
        "proofs": proofs is not None,
        "database": databases is not None and bool(databases.enabled),
        "github": connected,
        "pull_request": connected and pulls is not None and pulls.has_open,
    }
    return frozenset(name for name, is_there in there.items() if is_there)
