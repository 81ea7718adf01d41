"""The judgement of command lines, whose parser and tables (0.2 s to import) are loaded when the first one is judged."""

from desktop.late import late
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import ShellVerdict


def assess_shell(command: str, world: ShellWorld, *, cwd: str = ".") -> ShellVerdict:
    """What `desktop.policy.shell.assess.assess_shell` says; the first call imports it."""
    verdict: ShellVerdict = late("desktop.policy.shell.assess").assess_shell(command, world, cwd=cwd)
    return verdict


def command_warnings(command: str) -> tuple[str, ...]:
    """What a command does that deserves a second look, as `desktop.policy.display_warn` says it."""
    lines: tuple[str, ...] = late("desktop.policy.display_warn").command_warnings(command)
    return lines
