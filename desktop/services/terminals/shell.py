"""The shell that a terminal starts, and its environment: the person's own, without what belongs to the app."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from desktop.config.folders import typed_path
from desktop.domain.lanes.lane import Lane
from desktop.services.processes.environment import lane_variables

if sys.platform != "win32":
    import pwd

TERMINAL_VARIABLE = "BANKSMAN_TERMINAL"
"""Holds the id of the lane, in every process of a terminal."""
_OURS = ("BANKSMAN_", "_PYI_", "_MEIPASS")
_NOT_OF_A_TERMINAL = frozenset(
    {
        "COLUMNS",
        "LINES",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TERMCAP",
        "WINDOWID",
        "VTE_VERSION",
        "TMUX",
        "STY",
        "INSIDE_EMACS",
        "CI",
        "NO_COLOR",
        "SHLVL",
        "QT_QPA_PLATFORM",
        "QT_PLUGIN_PATH",
    }
)
"""What describes the terminal or the display that the app itself was started from."""


def shell_of(setting: str, env: Mapping[str, str]) -> str:
    """The absolute path of the shell: what the settings name, else the person's own, else /bin/sh."""
    if setting:
        return str(typed_path(setting))
    own = env.get("SHELL", "")
    if not own and sys.platform != "win32":
        try:
            own = pwd.getpwuid(os.getuid()).pw_shell
        except KeyError:
            own = ""
    return own if own and Path(own).is_absolute() else "/bin/sh"


def shell_command(shell: str) -> list[str]:
    """The command that starts the shell: on macOS as a login shell, as terminals do there."""
    return [shell, "-l"] if sys.platform == "darwin" else [shell]


def terminal_environment(
    env: Mapping[str, str], lane: Lane, variables: Mapping[str, str], is_secret: Callable[[str], bool]
) -> dict[str, str]:
    """The person's environment with the lane's variables. `variables`: what the trusted lane file sets. `is_secret`:
    whether a value holds a key that the app keeps; such a variable is left out."""
    kept = {
        name: value
        for name, value in env.items()
        if not name.startswith(_OURS) and name not in _NOT_OF_A_TERMINAL and not is_secret(value)
    }
    if "LD_LIBRARY_PATH_ORIG" in kept:  # the packaged program puts its own libraries first
        kept["LD_LIBRARY_PATH"] = kept.pop("LD_LIBRARY_PATH_ORIG")
    elif getattr(sys, "frozen", False):
        kept.pop("LD_LIBRARY_PATH", None)
    kept |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PWD": lane.worktree_path}
    return kept | lane_variables(lane, variables) | {TERMINAL_VARIABLE: lane.id}
