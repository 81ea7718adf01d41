"""What the window says of the sandbox: made from its report, which is what the gate goes by (gate-L1)."""

from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import ProbeOutcome, ProbeResult, SandboxLevel, SandboxReport

_CHIPS: dict[SandboxLevel, tuple[str, str]] = {
    "none": ("No sandbox", "danger"),
    "limited": ("Sandbox: limited", "warning"),
    "full": ("Sandbox: full", "success"),
}
_TIERS = {
    "bwrap": "bubblewrap",
    "landlock": "Landlock",
    "seatbelt": "Seatbelt",
    "none": "",
}
_SENTENCES: dict[SandboxLevel, str] = {
    "none": "Nothing confines the commands that agents run: they have your own rights.",
    "limited": "Commands run in a sandbox that does not stop everything.",
    "full": "Every escape that was tried was stopped.",
}
_OUTCOMES: dict[ProbeOutcome, str] = {"passed": "stopped", "failed": "not stopped", "skipped": "not tried"}
_TRIED = {
    "write_sibling": "Write beside the lane",
    "write_home": "Write to the home folder",
    "write_system": "Write to a system folder",
    "write_git_file": "Write to the lane's .git",
    "rename_over_git": "Put another .git in its place",
    "write_common_hooks": "Plant a Git hook",
    "write_common_config": "Change the repository's Git settings",
    "read_home_key": "Read a key file in the home folder",
    "write_through_link": "Write through a link that leads out",
    "hard_link": "Make a hard link to a file outside",
    "proc_root": "Look around through the process folder",
    "tcp": "Connect to a server (TCP)",
    "udp": "Send a datagram (UDP)",
    "unix_socket": "Connect to a socket file",
    "abstract_socket": "Connect to an abstract socket",
    "signal_host": "End another program",
    "read_environment": "Read the environment of another program",
    "trace_host": "Look into another program",
    "nested_namespace": "Make a namespace of its own",
    "mount": "Mount a file system",
    "inherited_variable": "Read Banksman's variables",
    "inherited_descriptor": "Use Banksman's open files",
    "survivor": "Live on after the command was stopped",
}
_ORDER: tuple[ProbeOutcome, ...] = ("failed", "skipped", "passed")


def chip_words(level: SandboxLevel) -> tuple[str, str]:
    """What a chip reads at this level, and its colour role."""
    return _CHIPS[level]


def level_sentence(level: SandboxLevel) -> str:
    """What the level means, in one sentence."""
    return _SENTENCES[level]


def why_not_full(report: SandboxReport) -> str:
    """Why this sandbox is not full, in one sentence; "" if it is."""
    if report.level == "full":
        return ""
    reason = display_text(report.reason).strip()
    if reason:
        return reason if reason.endswith((".", "!", "?")) else f"{reason}."
    return "No sandbox works here." if report.level == "none" else _SENTENCES["limited"]


def gap_lines(report: SandboxReport) -> tuple[str, ...]:
    """What it does not stop, one line each, each once."""
    return tuple(dict.fromkeys(map(display_text, report.gaps)))


def made_with(report: SandboxReport) -> str:
    """Tier, version and program of the sandbox: "bubblewrap 0.9.0 · /usr/bin/bwrap"; "" where there is none."""
    name, version = _TIERS[report.tier], display_text(report.version).strip()
    first = version if name.lower() in version.lower() else " ".join(part for part in (name, version) if part)
    return " · ".join(part for part in (first, display_text(report.binary)) if part) if name else ""


def tried_words(probe: ProbeResult) -> str:
    """What was tried, in words."""
    return _TRIED.get(probe.name) or display_text(probe.name).replace("_", " ").capitalize()


def outcome_words(outcome: ProbeOutcome) -> str:
    """What came of it: stopped, not stopped, not tried."""
    return _OUTCOMES[outcome]


def worst_first(report: SandboxReport) -> tuple[ProbeResult, ...]:
    """The probes: what was not stopped, what was not tried, then what was stopped."""
    return tuple(sorted(report.probes, key=lambda probe: _ORDER.index(probe.outcome)))


def counted(report: SandboxReport) -> str:
    """How many of the escapes that were tried were stopped: "21 of 23 escapes stopped"; "" when none was tried."""
    passed = sum(probe.outcome == "passed" for probe in report.probes)
    return f"{passed} of {len(report.probes)} escapes stopped" if report.probes else ""
