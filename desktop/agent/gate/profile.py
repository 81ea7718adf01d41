"""Where a command would run, and whether it could carry something away."""

from desktop.domain.gate.sandbox import SandboxLevel
from desktop.policy.call_facts import SandboxProfile
from desktop.tools.tool import Evidence


def reaches_network(evidence: Evidence, profile: SandboxProfile) -> bool:
    """Whether a command could carry something away: none that only reads, none without the network."""
    return evidence.command is not None and profile != "lane-off" and not evidence.assessment.proven_read


def profile_of(evidence: Evidence, level: SandboxLevel) -> SandboxProfile:
    """Where a command would run: in the lane's sandbox where there is one, wider only if the call asks for it."""
    if evidence.command is None or level == "none":
        return "bare"
    if evidence.asks_for == "outside":
        return "outside"
    if evidence.asks_for == "hosts":
        return "lane-hosts"
    return "lane-open" if evidence.asks_for == "network" else "lane-off"
