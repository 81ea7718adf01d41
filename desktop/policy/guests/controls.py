"""What keeps a guest, in words for people: one line a control, which never says more than is held here (guests-A41)."""

from collections.abc import Mapping

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import SandboxLevel, SandboxTier
from desktop.domain.guests.values import GuestAbilities, GuestUsage
from desktop.records import dataclass

_LOOSE = (PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO)
_NAMES = {PermissionMode.PLAN: "Plan", PermissionMode.EDIT: "Edit", PermissionMode.FULL_AUTO: "Full auto"}
_NAMED = 3
_HELD_TOLD: Mapping[SandboxLevel, str] = {
    "full": "contained by the sandbox (full)",
    "limited": "contained in part by the sandbox (limited)",
    "none": "not contained",
}
_READS_TOLD: Mapping[SandboxLevel, str] = {
    "full": "sandbox",
    "limited": "sandbox, which does not stop everything (limited)",
    "none": "any file of yours",
}
_USAGE_TOLD: Mapping[GuestUsage, str] = {
    "exact": "counted by Banksman, and so are its limits",
    "claimed": "{tokens:,} tokens, claimed by the agent; a limit in tokens rests on its word",
    "context": "{used:,} of {size:,} tokens of its context, claimed by the agent; a limit in tokens rests on its word",
    "unknown": "not known, so no limit in tokens or money can be kept",
}
_NAMES_TOLD: Mapping[str, str] = {
    "commands": "Commands",
    "changes": "File changes",
    "reads": "Reads",
    "network": "Network",
    "output": "Output of commands",
    "folders": "Your folders",
    "mode": "Its mode",
    "use": "Use of its model",
}
_WORDS_TOLD: Mapping[str, str] = {
    "shown": "reported",
    "not_shown": "not reported",
    "shown_unknown": "not known yet",
    "itself": "by the agent, kept by checkpoints",
    "handed": "handed to Banksman, which writes them (its word)",
    "folders": "{folders}, which it can change",
    "silent": "no answer with tokens counted by Banksman so far; without them no limit in money is kept",
    "never": "does not ask",
    "unasked": "{count} ran without asking",
    "first": "asks first (its word)",
    "any_host": "can reach any host",
    "model_host": "model host only",
    "no_host": "no host",
    "hosts": "{hosts} and no other host",
    "more_hosts": "{hosts}, {more} more and no other host",
    "limited": "{reached}, as far as the sandbox holds (limited)",
    "said": "{mode} (its word)",
    "unconfirmed": "{mode} (mode not confirmed)",
    "wanted": "{mode} was asked for (mode not confirmed)",
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
    words = _WORDS_TOLD
    shown = {True: "shown", False: "not_shown", None: "shown_unknown"}[known.shows_output]
    lines = {
        "commands": f"{_asking(known, kept)} · {_HELD_TOLD[_level(kept)]}",
        "changes": words["handed" if known.writes_through_us else "itself"],
        "reads": _READS_TOLD[_level(kept)],
        "network": _network(kept),
        "output": words[shown],
        "folders": words["folders"].format(folders=", ".join(kept.given)) if kept.given else "",
        "mode": _mode(known),
        "use": _use(known, kept),
    }
    return tuple(f"{_NAMES_TOLD[name]}: {line}" for name, line in lines.items() if line)


def _use(known: GuestAbilities, kept: GuestKeeping) -> str:
    if kept.through_gateway and known.usage == "unknown":
        return _WORDS_TOLD["silent"]
    used, size = known.context_used, known.context_size
    return _USAGE_TOLD[known.usage].format(tokens=known.claimed_tokens, used=used, size=size)


def _level(kept: GuestKeeping) -> SandboxLevel:
    return "none" if kept.tier == "none" else kept.level


def _asking(known: GuestAbilities, kept: GuestKeeping) -> str:
    if not kept.asks:
        return _WORDS_TOLD["never"]
    if known.unasked_against_gate:
        return _WORDS_TOLD["unasked"].format(count=known.unasked_against_gate)
    return _WORDS_TOLD["first"]


def _network(kept: GuestKeeping) -> str:
    """Hosts are kept apart by bubblewrap alone (guests-A42)."""
    if kept.tier != "bwrap" or kept.level == "none":
        return _WORDS_TOLD["any_host"]
    more = len(kept.hosts) - _NAMED
    reached = _WORDS_TOLD["no_host"]
    if kept.through_gateway:
        reached = _WORDS_TOLD["model_host"]
    elif kept.hosts:
        form = _WORDS_TOLD["more_hosts" if more > 0 else "hosts"]
        reached = form.format(hosts=", ".join(kept.hosts[:_NAMED]), more=more)
    return reached if kept.level == "full" else _WORDS_TOLD["limited"].format(reached=reached)


def _mode(known: GuestAbilities) -> str:
    if not known.modes:
        return ""
    mode = known.mode or "unknown"
    if known.mode_confirmed:
        return _WORDS_TOLD["said"].format(mode=mode)
    if known.mode_wanted not in ("", known.mode):
        return _WORDS_TOLD["wanted"].format(mode=known.mode_wanted)
    return _WORDS_TOLD["unconfirmed"].format(mode=mode)
