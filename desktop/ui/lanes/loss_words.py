"""What deleting a lane would lose, in words."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import LaneHolder
from desktop.domain.lanes.updates import LaneLoss
from desktop.ui.text.format import count, size

_HOLDS = {
    "turn": "the agent in",
    "shell": "a command",
    "terminal": "a terminal",
    "setup": "the setup",
    "run": "the app",
}


def loss_lines(loss: LaneLoss) -> list[str]:
    """One line for each kind of thing that would be lost or ended; none when nothing would be. Display-safe."""
    lines = []
    if loss.file_count:
        lines.append(f"{count(loss.file_count, 'file is', 'files are')} not committed.")
    if loss.only_here:
        lines.append(f"{count(loss.only_here, 'commit is', 'commits are')} on no other branch.")
    if loss.operation:
        lines.append(f"A {loss.operation} is under way.")
    if loss.stashes:
        lines.append(f"{count(loss.stashes, 'set of changes was', 'sets of changes were')} put aside.")
    lines += [f"Runs now and is ended: {holder_words(holder)}." for holder in loss.holders]
    return lines


def loss_short(loss: LaneLoss) -> str:
    """The same in one line, for a table."""
    if loss.refused:
        return display_text(loss.refused)
    if loss.unlink:
        return "Only unlinked: its files and its branch stay."
    parts = []
    if loss.file_count:
        parts.append(count(loss.file_count, "uncommitted file"))
    if loss.only_here:
        parts.append(count(loss.only_here, "commit only here", "commits only here"))
    if loss.operation:
        parts.append(f"a {loss.operation} under way")
    if loss.stashes:
        parts.append(f"{loss.stashes} put aside")
    if loss.holders:
        parts.append(f"{len(loss.holders)} running")
    if loss.ignored:
        parts.append(count(len(loss.ignored), "ignored file"))
    return ", ".join(parts) or "Nothing would be lost."


def notes_on(loss: LaneLoss) -> list[str]:
    """What is worth knowing and no loss."""
    notes = []
    if loss.unpushed:
        notes.append(f"{count(loss.unpushed, 'commit is', 'commits are')} not on a remote.")
    if loss.size_bytes:
        notes.append(f"{size(loss.size_bytes)} on the disk.")
    return notes


def holder_words(holder: LaneHolder) -> str:
    """Who works in the lane, and on what. Display-safe."""
    return f"{_HOLDS[holder.kind]} {display_text(holder.label)}".strip()
