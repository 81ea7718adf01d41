"""The comments on a lane's changes, as the one message that the agent gets (lanes-D16)."""

from collections.abc import Callable, Sequence

from desktop.domain.changes.values import ReviewComment
from desktop.services.files.names import shown_name

IsChanged = Callable[[ReviewComment, int], bool]


def in_order(comments: Sequence[ReviewComment]) -> list[ReviewComment]:
    """By file, then by line; of one line, the old side first."""
    return sorted(comments, key=lambda one: (one.path, one.first, one.side == "new", one.last, one.comment_id))


def comment_message(lane_name: str, comments: Sequence[ReviewComment], is_changed: IsChanged) -> str:
    """The message. `is_changed`: whether a line of a comment's file, by its number, is part of a change."""
    lines = [f"Review comments on the changes in lane {lane_name} ({len(comments)}):"]
    for number, comment in enumerate(in_order(comments), 1):
        lines += _item(number, comment, is_changed)
    return "\n".join([*lines, "Address each one. Say for each what you did."])


def _item(number: int, comment: ReviewComment, is_changed: IsChanged) -> list[str]:
    where = f"{comment.first}-{comment.last}" if comment.last > comment.first else str(comment.first)
    gone = ", these lines are not there any more" if comment.outdated else ""
    sign = "+" if comment.side == "new" else "-"
    quoted = [
        f"   > {sign if is_changed(comment, at) else ' '}{text}"
        for at, text in enumerate(comment.quoted, comment.first)
    ]
    said = comment.text.strip().split("\n")
    return [
        f"{number}. {shown_name(comment.path)}:{where} ({comment.side}{gone})",
        *quoted,
        f"   Comment: {said[0]}",
        *(f"   {line}".rstrip() for line in said[1:]),
    ]
