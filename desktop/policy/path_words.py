"""The words in which paths are judged."""

from typing import Literal

PathOp = Literal["read", "write", "delete", "list"]
PathVerdict = Literal["inside", "reference", "outside", "protected", "invalid"]
PathClass = Literal["", "git", "own", "guarded", "secret"]
PathKind = Literal["file", "dir", "missing", "other"]
PathPlace = Literal["lane", "reference", "outside"]
