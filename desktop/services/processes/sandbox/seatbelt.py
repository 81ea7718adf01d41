"""Seatbelt: a profile in the language of macOS' sandbox-exec, and its arguments."""

from pathlib import Path

from desktop.services.processes.sandbox.profile import SandboxProfile

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/random", "/dev/urandom", "/dev/dtracehelper")


def seatbelt_argv(profile: SandboxProfile, command: tuple[str, ...]) -> tuple[str, ...]:
    """The command below sandbox-exec."""
    return (SANDBOX_EXEC, "-p", seatbelt_text(profile), *command)


def seatbelt_text(profile: SandboxProfile) -> str:
    """The profile's text: all is allowed that is not closed below; of two rules the later one holds."""
    lines = ["(version 1)", "(allow default)", "(deny file-write*)"]
    hidden = [path.resolve() for path in profile.hidden if path != Path("/")]
    if hidden:
        lines.append(f"(deny file-read* {_subpaths(hidden)})")
    if profile.readonly:
        lines.append(f"(allow file-read* {_subpaths(profile.readonly)})")
    writable = [*profile.writable, profile.temp, *([profile.lane_root] if profile.lane_writable else [])]
    lines.append(f"(allow file-read* {_subpaths([*writable, profile.lane_root, *profile.guarded])})")
    lines.append(f"(allow file-write* {_subpaths(writable)})")
    lines.append("(allow file-write-data " + " ".join(f"(literal {_quoted(device)})" for device in _DEVICES) + ")")
    if profile.guarded:
        lines.append(f"(deny file-write* {_subpaths(profile.guarded)})")
    if profile.masked:
        lines.append(
            "(deny file-read-data " + " ".join(f"(literal {_quoted(str(one))})" for one in profile.masked) + ")"
        )
    if not profile.network:
        lines.append("(deny network*)")
    lines += [
        "(deny process-info* (target others))",
        "(deny signal (target others))",
        "(allow signal (target children))",
    ]
    lines += ['(deny mach-lookup (global-name-regex #"^com\\.apple\\.(coreservices\\.launchservicesd|appleeventsd)"))']
    return "\n".join(lines) + "\n"


def _subpaths(paths: list[Path] | tuple[Path, ...]) -> str:
    return " ".join(f"(subpath {_quoted(str(path))})" for path in dict.fromkeys(paths))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
