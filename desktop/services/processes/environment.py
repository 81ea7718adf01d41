"""The environment of commands: built from nothing, by a list of names (gate-K2), with what names their lane."""

import sys
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.lanes.lane import Lane

LANE_VARIABLE = "BANKSMAN_LANE_ID"
SKILLS_VARIABLE = "BANKSMAN_SKILLS"
"""Names the folder with the person's skills, where there are any."""
KEPT_NAMES = ("HOME", "LANG", "SHELL", "USER")
WINDOWS_NAMES = ("SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "COMSPEC", "PATHEXT")
FIXED = {"TERM": "dumb", "CI": "1", "NO_COLOR": "1"}
FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin"


def clean_path(value: str, lane_root: Path | None) -> str:
    """A PATH without empty and relative entries and without folders of the lane: a lane may not supply programs."""
    separator = ";" if sys.platform == "win32" else ":"
    return separator.join(entry for entry in value.split(separator) if may_supply(entry, lane_root)) or FALLBACK_PATH


def may_supply(entry: str, lane_root: Path | None) -> bool:
    """Whether programs may come from an entry of a PATH."""
    folder = Path(entry)
    if not entry or not folder.is_absolute() or ".." in folder.parts:
        return False
    return lane_root is None or not any(place.is_relative_to(lane_root) for place in (folder, folder.resolve()))


def child_environment(
    source: Mapping[str, str], *, temp_folder: Path, lane_root: Path | None = None, frozen: bool | None = None
) -> dict[str, str]:
    """The environment that a command gets of `source`. Keys, tokens and loader or interpreter variables never pass.

    `frozen`: whether this is the packaged program, whose loader path is replaced by the person's own. None: find out.
    """
    result = {name: source[name] for name in KEPT_NAMES if source.get(name)}
    result.update({name: value for name, value in source.items() if name.startswith("LC_")})
    if sys.platform == "win32":
        result.update({name: source[name] for name in WINDOWS_NAMES if source.get(name)})
    result["PATH"] = clean_path(source.get("PATH", ""), lane_root)
    result["TMPDIR"] = str(temp_folder)
    result.update(FIXED)
    packaged = bool(getattr(sys, "frozen", False)) if frozen is None else frozen
    if packaged and source.get("LD_LIBRARY_PATH_ORIG"):
        result["LD_LIBRARY_PATH"] = source["LD_LIBRARY_PATH_ORIG"]
    return result


def lane_variables(lane: Lane, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that setup, commands, background commands and terminals of a lane get beside the rest (lanes-L22).
    `env`: what the trusted lane file sets; a command that was shown to only read does not get it."""
    result = {
        **(env or {}),
        "BANKSMAN_LANE": lane.name,
        LANE_VARIABLE: lane.id,
        "BANKSMAN_LANE_PATH": lane.worktree_path,
    }
    if lane.ports and lane.port_count:
        result |= {"BANKSMAN_PORT_BASE": str(lane.ports), "PORT": str(lane.ports)}
        result |= {f"BANKSMAN_PORT_{number}": str(lane.ports + number) for number in range(lane.port_count)}
    return result
