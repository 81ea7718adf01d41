"""What deleting a lane would lose, in words."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import LaneHolder
from desktop.domain.lanes.updates import LaneLoss
from desktop.language import tr
from desktop.ui.text.format import count, size

_HOLDS = {
    "turn": tr("the agent in"),
    "shell": tr("a command"),
    "terminal": tr("a terminal"),
    "setup": tr("the setup"),
    "run": tr("the app"),
}


def loss_lines(loss: LaneLoss) -> list[str]:
    """One line for each kind of thing that would be lost or ended; none when nothing would be. Display-safe."""
    lines = []
    if loss.file_count:
        lines.append(tr("{iss} not committed.", iss=count(loss.file_count, "file is", "files are")))
    if loss.only_here:
        lines.append(tr("{iss} on no other branch.", iss=count(loss.only_here, "commit is", "commits are")))
    if loss.operation:
        lines.append(tr("A {operation} is under way.", operation=loss.operation))
    if loss.stashes:
        lines.append(tr("{wass} put aside.", wass=count(loss.stashes, "set of changes was", "sets of changes were")))
    lines += [tr("Runs now and is ended: {holder}.", holder=holder_words(holder)) for holder in loss.holders]
    return lines


def loss_short(loss: LaneLoss) -> str:
    """The same in one line, for a table."""
    if loss.refused:
        return display_text(loss.refused)
    if loss.unlink:
        return tr("Only unlinked: its files and its branch stay.")
    parts = []
    if loss.file_count:
        parts.append(count(loss.file_count, "uncommitted file"))
    if loss.only_here:
        parts.append(count(loss.only_here, "commit only here", "commits only here"))
    if loss.operation:
        parts.append(tr("a {operation} under way", operation=loss.operation))
    if loss.stashes:
        parts.append(tr("{stashes} put aside", stashes=loss.stashes))
    if loss.holders:
        parts.append(f"{len(loss.holders)} running")
    if loss.ignored:
        parts.append(count(len(loss.ignored), "ignored file"))
    return ", ".join(parts) or tr("Nothing would be lost.")


def notes_on(loss: LaneLoss) -> list[str]:
    """What is worth knowing and no loss."""
    notes = []
    if loss.unpushed:
        notes.append(tr("{iss} not on a remote.", iss=count(loss.unpushed, "commit is", "commits are")))
    if loss.size_bytes:
        notes.append(tr("{size_bytes} on the disk.", size_bytes=size(loss.size_bytes)))
    return notes


def holder_words(holder: LaneHolder) -> str:
    """Who works in the lane, and on what. Display-safe."""
    return f"{_HOLDS[holder.kind]} {display_text(holder.label)}".strip()
