"""What the window says of the sandbox: made from its report, which is what the gate goes by (gate-L1)."""

from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import ProbeOutcome, ProbeResult, SandboxLevel, SandboxReport
from desktop.language import said, tr

_CHIPS: dict[SandboxLevel, tuple[str, str]] = {
    "none": (tr("No sandbox"), "danger"),
    "limited": (tr("Sandbox: limited"), "warning"),
    "full": (tr("Sandbox: full"), "success"),
}
_TIERS = {
    "bwrap": tr("bubblewrap"),
    "landlock": tr("Landlock"),
    "seatbelt": tr("Seatbelt"),
    "none": "",
}
_SENTENCES: dict[SandboxLevel, str] = {
    "none": tr("Nothing confines the commands that agents run: they have your own rights."),
    "limited": tr("Commands run in a sandbox that does not stop everything."),
    "full": tr("Every escape that was tried was stopped."),
}
_OUTCOMES: dict[ProbeOutcome, str] = {
    "passed": tr("stopped", context="by the sandbox"),
    "failed": tr("not stopped"),
    "skipped": tr("not tried"),
}
_TRIED = {
    "write_sibling": tr("Write beside the lane"),
    "write_home": tr("Write to the home folder"),
    "write_system": tr("Write to a system folder"),
    "write_git_file": tr("Write to the lane's .git"),
    "rename_over_git": tr("Put another .git in its place"),
    "write_common_hooks": tr("Plant a Git hook"),
    "write_common_config": tr("Change the repository's Git settings"),
    "read_home_key": tr("Read a key file in the home folder"),
    "write_through_link": tr("Write through a link that leads out"),
    "hard_link": tr("Make a hard link to a file outside"),
    "proc_root": tr("Look around through the process folder"),
    "tcp": tr("Connect to a server (TCP)"),
    "udp": tr("Send a datagram (UDP)"),
    "unix_socket": tr("Connect to a socket file"),
    "abstract_socket": tr("Connect to an abstract socket"),
    "signal_host": tr("End another program"),
    "read_environment": tr("Read the environment of another program"),
    "trace_host": tr("Look into another program"),
    "nested_namespace": tr("Make a namespace of its own"),
    "mount": tr("Mount a file system"),
    "inherited_variable": tr("Read Banksman's variables"),
    "inherited_descriptor": tr("Use Banksman's open files"),
    "survivor": tr("Live on after the command was stopped"),
}
LOOKS: dict[ProbeOutcome, tuple[str, str]] = {
    "passed": ("circle-check", "success"),
    "failed": ("circle-x", "danger"),
    "skipped": ("circle-dashed", "warning"),
}
_ORDER: tuple[ProbeOutcome, ...] = ("failed", "skipped", "passed")


def chip_words(level: SandboxLevel) -> tuple[str, str]:
    """What a chip reads at this level, and its colour role."""
    return _CHIPS[level]


def level_sentence(level: SandboxLevel) -> str:
    """What the level means, in one sentence."""
    return _SENTENCES[level]


def why_not_full(report: SandboxReport) -> str:
    """Why this sandbox is not full, in sentences; "" if it is."""
    if report.level == "full":
        return ""
    reason = display_text(said(report.reason)).strip()
    if reason and not reason.endswith((".", "!", "?")):
        reason = f"{reason}."
    if report.level == "none":
        return " ".join(part for part in (tr("No sandbox works here."), reason) if part)
    return reason or _SENTENCES["limited"]


def gap_looks(report: SandboxReport) -> dict[str, tuple[str, str]]:
    """The icon and the colour of each line of a gap: that something was not tried is no escape that was seen."""
    gaps = ((display_text(said(probe.gap)), probe.outcome) for probe in report.probes if probe.gap)
    return {gap: LOOKS[outcome] for gap, outcome in gaps}


def gap_lines(report: SandboxReport) -> tuple[str, ...]:
    """What it does not stop, one line each, each once."""
    return tuple(dict.fromkeys(display_text(said(gap)) for gap in report.gaps))


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
    return tr("{passed} of {probes} escapes stopped", passed=passed, probes=len(report.probes)) if report.probes else ""
