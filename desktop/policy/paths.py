"""Judging one path: is it usable, inside the lane, a protected name. Pure: the facts come from the disk walk."""

import re
import unicodedata
from functools import lru_cache

from desktop.domain.core.base import Frozen
from desktop.policy.path_words import PathClass, PathKind, PathOp, PathPlace, PathVerdict
from desktop.policy.protected_names import (
    CLASS_REASONS,
    class_effect,
    holds_git_secrets,
    is_invisible,
    is_protected_component,
    name_classes,
)

__all__ = [
    "SYSTEM_REASON",
    "PathFacts",
    "PathOp",
    "WalkFacts",
    "assess_path",
    "screen_path",
    "split_path",
    "workspace_verdict",
]

MAX_COMPONENT_BYTES = 255
MAX_PATH_BYTES = 4095
SYSTEM_REASON = "it belongs to the system's own folders"
_FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Cs"}
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE)
_READING: frozenset[PathOp] = frozenset({"read", "list"})
_Judgement = tuple[PathVerdict, str, str]
_ORDER: tuple[PathClass, ...] = ("git", "own", "guarded", "secret")


class PathFacts(Frozen):
    """The facts of one path that a call names, and how it is judged for `op` (gate-P1).

    `raw` is the path as given. `rel` is the real path without links: relative to the lane root with "/" ("." is the
    root itself), absolute when it lies elsewhere. `class_` is the protected class that the path falls in, also where
    this op is allowed on it. `exists` False leaves nlink, device, inode and size at 0. `via_symlink` is "link → target"
    when the path leads through a link, else "". `ask`: a person may allow it; `deny`: nobody can. A verdict `invalid`
    of something that exists means the wrong kind of object (gate-P5).
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


class WalkFacts(Frozen):
    """The facts of where a path leads on disk, before they are judged.

    `fault`: why the kernel could not walk it ("" when it could). `rel` as in PathFacts. `names`: every name that the
    object goes by below the lane (or reference) root, as given, at each link, and as resolved. `system`: in /proc, /dev
    or /sys. `product_folder`: in one of the product's own folders. `git_folder`: in the repository's folder, or in one
    that Git would take for a repository. `other_device`: not on the lane's device.
    """

    fault: str = ""
    place: PathPlace = "lane"
    rel: str = ""
    names: tuple[tuple[str, ...], ...] = ()
    system: bool = False
    product_folder: bool = False
    git_folder: bool = False
    kind: PathKind = "missing"
    nlink: int = 0
    device: int = 0
    inode: int = 0
    size: int = 0
    other_device: bool = False
    via_symlink: str = ""


def split_path(raw: str, *, windows: bool) -> list[str]:
    """The components of a path, empty ones kept: a trailing separator asks for a folder."""
    return re.split(r"[/\\]", raw) if windows else raw.split("/")


@lru_cache(maxsize=1024)
def screen_path(raw: str, op: PathOp, *, windows: bool) -> PathFacts | None:
    """The judgement where the text alone decides, before the disk is touched (gate-P2); None: walk it."""
    if fault := _text_fault(raw, windows=windows):
        return PathFacts(raw=raw, op=op, verdict="invalid", rel="", reason=fault, deny=True)
    if raw.startswith("~"):
        return _outside_text(raw, op, "it means a home folder")
    if windows and raw.replace("/", "\\").startswith("\\\\"):
        return _outside_text(raw, op, "it names another computer or a device")
    return None


def _outside_text(raw: str, op: PathOp, reason: str) -> PathFacts:
    return PathFacts(raw=raw, op=op, verdict="outside", rel=raw, reason=reason, deny=True)


def _text_fault(raw: str, *, windows: bool) -> str:
    if not raw.strip():
        return "it is empty"
    parts = split_path(raw, windows=windows)
    if fault := _odd_character(raw, parts):
        return fault
    if raw.casefold().startswith("file://"):
        return "it is an address, not a path"
    if len(raw.encode()) > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes"
    if any(len(part.encode()) > MAX_COMPONENT_BYTES for part in parts):
        return f"a part of it is longer than {MAX_COMPONENT_BYTES} bytes"
    return _windows_fault(parts) if windows else ""


def _odd_character(raw: str, parts: list[str]) -> str:
    if raw.isascii() and raw.isprintable():
        return ""
    odd = [c for c in raw if unicodedata.category(c) in _FORBIDDEN_CATEGORIES]
    if not odd:
        return ""
    hidden = [i for i, part in enumerate(parts) if any(c in part for c in odd)]
    if all(map(is_invisible, odd)) and all(is_protected_component(parts[i - 1] if i else "", parts[i]) for i in hidden):
        return ""
    return f"it contains the character U+{ord(odd[0]):04X}"


def _windows_fault(parts: list[str]) -> str:
    for index, part in enumerate(parts):
        if _RESERVED.fullmatch(part.rstrip(" .")):
            return f"'{part}' is the name of a device"
        if ":" in (re.sub(r"^[A-Za-z]:", "", part) if index == 0 else part):
            return "a part of it names a stream"
        if part not in {"", ".", ".."} and not part.strip(" ."):
            return "a part of it has only dots and blanks"
    return ""


def assess_path(raw: str, op: PathOp, walk: WalkFacts) -> PathFacts:
    """The facts of a path with the judgement for `op`, by the order invalid, outside, protected, wrong kind, reference,
    inside."""
    if walk.fault:
        return PathFacts(raw=raw, op=op, verdict="invalid", rel="", reason=walk.fault, deny=True)
    class_, effect, class_reason = _protection(op, walk)
    hard_link = op not in _READING and walk.kind == "file" and walk.nlink > 1
    verdict, follows, reason = _judgement(op, walk, effect, class_reason, hard_link=hard_link)
    return PathFacts(
        raw=raw,
        op=op,
        verdict=verdict,
        rel=walk.rel,
        class_=class_,
        reason=reason,
        exists=walk.kind != "missing",
        kind=walk.kind,
        nlink=walk.nlink,
        device=walk.device,
        inode=walk.inode,
        size=walk.size,
        via_symlink=walk.via_symlink,
        hard_link=hard_link,
        ask=follows == "ask",
        deny=follows == "deny",
    )


def _judgement(op: PathOp, walk: WalkFacts, effect: str, class_reason: str, *, hard_link: bool) -> _Judgement:
    """The verdict, "ask", "deny" or "", and why."""
    reading = op in _READING
    if walk.place == "outside" or (walk.place == "reference" and not reading):
        return _outside(walk, reading=reading)
    if effect:
        return "protected", effect, class_reason
    if fault := _kind_fault(op, walk):
        return "invalid", "deny", fault
    if not reading and walk.other_device:
        return "inside", "deny", "it lies on another device than the lane"
    if hard_link:
        return "inside", "ask", f"the file has {walk.nlink} names (hard links), all of them would change"
    return ("reference" if walk.place == "reference" else "inside"), "", ""


def _outside(walk: WalkFacts, *, reading: bool) -> _Judgement:
    if walk.system:
        return "outside", "deny", SYSTEM_REASON
    if walk.product_folder:
        return "outside", "deny", CLASS_REASONS["own"]
    if reading and walk.kind == "other":
        return "outside", "deny", "it is not a regular file"
    if walk.place == "reference":
        return "outside", "deny", "it lies in a folder for reading only"
    reason = "it leads out of the lane through a link" if walk.via_symlink else "it is outside the lane"
    return "outside", "ask" if reading else "deny", reason


def _protection(op: PathOp, walk: WalkFacts) -> tuple[PathClass, str, str]:
    """The class of a path, what it does to this op, and why; the strictest class when there are several."""
    if walk.product_folder:
        return "own", "deny", CLASS_REASONS["own"]
    classes = frozenset[PathClass]().union(*map(name_classes, walk.names))
    if walk.git_folder:
        classes |= {"git"}
    git_secrets = any(map(holds_git_secrets, walk.names))
    best: tuple[PathClass, str, str] = ("", "", "")
    for class_ in _ORDER:
        if class_ not in classes:
            continue
        effect = class_effect(class_, op, git_secrets=git_secrets)
        if not best[0] or _STRICTNESS[effect] > _STRICTNESS[best[1]]:
            best = (class_, effect, CLASS_REASONS[class_])
    return best


_STRICTNESS = {"": 0, "ask": 1, "deny": 2}


def _kind_fault(op: PathOp, walk: WalkFacts) -> str:
    if walk.kind == "other":
        return "it is not a regular file"
    if walk.kind == "dir" and op == "write":
        return "it is a folder"
    if walk.rel == "." and op == "delete":
        return "it is the lane itself"
    return ""


def workspace_verdict(facts: PathFacts) -> tuple[PathVerdict, str]:
    """The verdict and reason as `banksman check path` gives them (gate-J4): what cannot be told from a file elsewhere
    counts as outside."""
    if facts.verdict == "inside" and (facts.hard_link or facts.deny):
        return "outside", facts.reason
    return facts.verdict, facts.reason
