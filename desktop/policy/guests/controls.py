"""What keeps a guest, in words for people: one line a control, which never says more than is held here (guests-A41)."""

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import SandboxLevel, SandboxTier
from desktop.domain.guests.values import GuestAbilities, GuestUsage
from desktop.records import dataclass

_LOOSE = (PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO)
_NAMES = {PermissionMode.PLAN: "Plan", PermissionMode.EDIT: "Edit", PermissionMode.FULL_AUTO: "Full auto"}
_WORD = "(its word)"
_NAMED = 3
_HELD: dict[SandboxLevel, str] = {
    "full": "contained by the sandbox (full)",
    "limited": "contained in part by the sandbox (limited)",
    "none": "not contained",
}
_READS: dict[SandboxLevel, str] = {
    "full": "sandbox",
    "limited": "sandbox, which does not stop everything (limited)",
    "none": "any file of yours",
}
_USAGE: dict[GuestUsage, str] = {
    "exact": "counted by Banksman, and so are its limits",
    "claimed": "{tokens:,} tokens, claimed by the agent; a limit in tokens rests on its word",
    "context": "{used:,} of {size:,} tokens of its context, claimed by the agent; a limit in tokens rests on its word",
    "unknown": "not known, so no limit in tokens or money can be kept",
}


@dataclass(frozen=True)
class GuestKeeping:
    """In what a guest runs. `hosts`: those that it may reach, () where it asks one model through Banksman alone;
    `most_mode`: the loosest mode in which a person lets it work; `given`: the person's own folders of its
    configuration, which it may change."""

    level: SandboxLevel
    tier: SandboxTier
    asks: bool
    through_gateway: bool
    hosts: tuple[str, ...] = ()
    most_mode: PermissionMode = PermissionMode.FULL_AUTO
    given: tuple[str, ...] = ()


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
    """The lines, in the order in which they are shown. Hosts and its mode are foreign text."""
    shown = {True: "reported", False: "not reported", None: "not known yet"}[known.shows_output]
    by_itself = "by the agent, kept by checkpoints"
    changes = f"handed to Banksman, which writes them {_WORD}" if known.writes_through_us else by_itself
    return (
        f"Commands: {_asking(known, kept)} · {_HELD[_level(kept)]}",
        f"File changes: {changes}",
        f"Reads: {_READS[_level(kept)]}",
        f"Network: {_network(kept)}",
        f"Output of commands: {shown}",
        *((f"Your folders: {', '.join(kept.given)}, which it can change",) if kept.given else ()),
        *_mode(known),
        f"Use of its model: {_use(known, kept)}",
    )


def _use(known: GuestAbilities, kept: GuestKeeping) -> str:
    if kept.through_gateway and known.usage == "unknown":
        return "no answer with tokens counted by Banksman so far; without them no limit in money is kept"
    used, size = known.context_used, known.context_size
    return _USAGE[known.usage].format(tokens=known.claimed_tokens, used=used, size=size)


def _level(kept: GuestKeeping) -> SandboxLevel:
    return "none" if kept.tier == "none" else kept.level


def _asking(known: GuestAbilities, kept: GuestKeeping) -> str:
    if not kept.asks:
        return "does not ask"
    if known.unasked_against_gate:
        return f"{known.unasked_against_gate} ran without asking"
    return f"asks first {_WORD}"


def _network(kept: GuestKeeping) -> str:
    """Hosts are kept apart by bubblewrap alone (guests-A42)."""
    if kept.tier != "bwrap" or kept.level == "none":
        return "can reach any host"
    if kept.through_gateway:
        reached = "model host only"
    elif kept.hosts:
        more = len(kept.hosts) - _NAMED
        reached = f"{', '.join(kept.hosts[:_NAMED])}{f' and {more} more' if more > 0 else ''} only"
    else:
        reached = "no host"
    return reached if kept.level == "full" else f"{reached}, as far as the sandbox holds (limited)"


def _mode(known: GuestAbilities) -> tuple[str, ...]:
    if not known.modes:
        return ()
    mode = known.mode or "unknown"
    if known.mode_confirmed:
        return (f"Its mode: {mode} {_WORD}",)
    asked = f"{known.mode_wanted} was asked for" if known.mode_wanted not in ("", known.mode) else mode
    return (f"Its mode: {asked} (mode not confirmed)",)
