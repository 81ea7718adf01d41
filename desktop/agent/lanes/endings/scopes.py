"""Scopes: how much goes with a lane that is deleted."""

from desktop.records import dataclass


@dataclass(frozen=True)
class Scopes:
    """What of a lane goes besides its folder. `keep_paths`: ignored files to keep a copy of, None for all."""

    with_branch: bool = False
    with_remote: bool = False
    keep_paths: tuple[str, ...] | None = None
