"""What keeps a guest, in words for people: one line a control, which never says more than is held here (guests-A41)."""

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import SandboxLevel, SandboxTier
from desktop.domain.guests.values import GuestAbilities, GuestUsage
from desktop.records import dataclass

_LOOSE = (PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO)
_NAMES = {PermissionMode.PLAN: "Plan", PermissionMode.EDIT: "Edit", PermissionMode.FULL_AUTO: "Full auto"}
_USAGE: dict[GuestUsage, str] = {
    "exact": "counted by Banksman",
    "claimed": "as the agent says",
    "context": "only how full its context is, as the agent says",
    "unknown": "not known",
}


@dataclass(frozen=True)
class GuestKeeping:
    """In what a guest runs. `hosts`: those that it may reach, () where it asks one model through Banksman alone;
    `most_mode`: the loosest mode in which a person lets it work."""

    level: SandboxLevel
    tier: SandboxTier
    asks: bool
    through_gateway: bool
    hosts: tuple[str, ...] = ()
    most_mode: PermissionMode = PermissionMode.FULL_AUTO


def may_not_work(label: str, kept: GuestKeeping, mode: PermissionMode) -> str:
    """Why a guest may not work in a mode, "" if it may: one that does not ask has nothing but the sandbox that holds it
    (guests-A27)."""
    if _LOOSE.index(mode) > _LOOSE.index(kept.most_mode):
        return f"{label} works in {_NAMES[kept.most_mode]} at most, as set under Settings › Agents."
    if not kept.asks and mode is not PermissionMode.FULL_AUTO:
        return f"{label} does not ask before it acts, so {_NAMES[mode]} cannot keep its promise. Choose Full auto."
    if not kept.asks and kept.level != "full":
        return f"{label} does not ask before it acts, so it works in a full sandbox only, which is not there."
    return ""


def control_lines(known: GuestAbilities, kept: GuestKeeping) -> tuple[str, ...]:
    """The lines, in the order in which they are shown."""
    held = "not contained" if kept.tier == "none" else f"contained by the sandbox ({kept.level})"
    shown = {True: "reported", False: "not reported", None: "not known yet"}[known.shows_output]
    changes = "written by Banksman" if known.writes_through_us else "by the agent, kept by checkpoints"
    return (
        f"Commands: {_asking(known, kept)} · {held}",
        f"File changes: {changes}",
        f"Reads: {'any file of yours' if kept.tier == 'none' else 'sandbox'}",
        f"Network: {_network(kept)}",
        f"Output of commands: {shown}",
        *_mode(known),
        f"Use of its model: {_USAGE[known.usage]}",
    )


def _asking(known: GuestAbilities, kept: GuestKeeping) -> str:
    if not kept.asks:
        return "does not ask"
    if known.unasked_against_gate:
        return f"{known.unasked_against_gate} ran without asking"
    return "asks first (its word)"


def _network(kept: GuestKeeping) -> str:
    if kept.tier != "bwrap":
        return "can reach any host"
    if kept.through_gateway:
        return "model host only"
    return f"{len(kept.hosts)} hosts for its own sign-in" if kept.hosts else "no host"


def _mode(known: GuestAbilities) -> tuple[str, ...]:
    if not known.modes:
        return ()
    return (f"Its mode: {known.mode or 'unknown'}{'' if known.mode_confirmed else ' (mode not confirmed)'}",)
