"""Judging one path: is it usable, inside the lane, a protected name. Pure: the facts come from the disk walk."""

from typing import Literal

from desktop.domain.base import Frozen

PathOp = Literal["read", "write", "delete", "list"]
PathVerdict = Literal["inside", "reference", "outside", "protected", "invalid"]
PathClass = Literal["", "git", "own", "guarded", "secret"]
PathKind = Literal["file", "dir", "missing", "other"]


class PathFacts(Frozen):
    """What is known of one path that a call names, and how it is judged for `op` (gate-P1).

    `raw` is the path as given. `rel` is the real path without links: relative to the lane root with "/" ("." is the
    root itself), absolute when the verdict is reference or outside. `class_` is the protected class that the path falls
    in, also where this op is allowed on it. `exists` False leaves nlink, device, inode and size at 0. `via_symlink` is
    "link → target" when the last component was a link, else "". `ask`: a person may allow it; `deny`: nobody can.
    A verdict `invalid` of something that exists means the wrong kind of object (gate-P5).
    """

    raw: str
    op: PathOp
    verdict: PathVerdict
    rel: str
    class_: PathClass = ""
    reason: str = ""
    exists: bool = False
    kind: PathKind = "missing"
    nlink: int = 0
    device: int = 0
    inode: int = 0
    size: int = 0
    via_symlink: str = ""
    hard_link: bool = False
    ask: bool = False
    deny: bool = False
