"""The words in which paths are judged."""

from collections.abc import Mapping
from typing import Literal

PathOp = Literal["read", "write", "delete", "list"]
PathVerdict = Literal["inside", "reference", "outside", "protected", "invalid"]
PathClass = Literal["", "git", "own", "guarded", "secret"]
PathKind = Literal["file", "dir", "missing", "other"]
PathPlace = Literal["lane", "reference", "outside"]

_TOLD: Mapping[PathVerdict, str] = {
    "reference": "This path is reference: {reason}.",
    "outside": "This path is outside: {reason}.",
    "protected": "This path is protected: {reason}.",
    "invalid": "This path is invalid: {reason}.",
}


def path_warning(verdict: PathVerdict, reason: str) -> str:
    """Why a path is not simply a file of the lane, "" where it is one."""
    return _TOLD[verdict].format(reason=reason) if verdict != "inside" else ""
