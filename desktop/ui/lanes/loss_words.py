"""What deleting a lane would lose, in words."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import LaneHolder
from desktop.domain.lanes.updates import LaneLoss
from desktop.language import number, said, tr, trn
from desktop.ui.lanes.state import operation_words
from desktop.ui.text.format import count, size


def loss_lines(loss: LaneLoss) -> list[str]:
    """One line for each kind of thing that would be lost or ended; none when nothing would be. Display-safe."""
    lines = []
    if loss.file_count:
        lines.append(trn(loss.file_count, "{n} file is not committed.", "{n} files are not committed."))
    if loss.only_here:
        lines.append(trn(loss.only_here, "{n} commit is on no other branch.", "{n} commits are on no other branch."))
    if loss.operation:
        lines.append(tr("A {operation} is under way.", operation=operation_words(loss.operation)))
    if loss.stashes:
        lines.append(trn(loss.stashes, "{n} set of changes was put aside.", "{n} sets of changes were put aside."))
    lines += [tr("Runs now and is ended: {holder}.", holder=holder_words(holder)) for holder in loss.holders]
    return lines


def loss_short(loss: LaneLoss) -> str:
    """The same in one line, for a table."""
    if loss.refused:
        return display_text(said(loss.refused))
    if loss.unlink:
        return tr("Only unlinked: its files and its branch stay.")
    parts = []
    if loss.file_count:
        parts.append(count(loss.file_count, "uncommitted file"))
    if loss.only_here:
        parts.append(count(loss.only_here, "commit only here", "commits only here"))
    if loss.operation:
        parts.append(tr("a {operation} under way", operation=operation_words(loss.operation)))
    if loss.stashes:
        parts.append(tr("{number} put aside", number=number(loss.stashes)))
    if loss.holders:
        parts.append(trn(len(loss.holders), "{n} running", "{n} running"))
    if loss.ignored:
        parts.append(count(len(loss.ignored), "ignored file"))
    return ", ".join(parts) or tr("Nothing would be lost.")


def notes_on(loss: LaneLoss) -> list[str]:
    """What is worth knowing and no loss."""
    notes = []
    if loss.unpushed:
        notes.append(trn(loss.unpushed, "{n} commit is not on a remote.", "{n} commits are not on a remote."))
    if loss.size_bytes:
        notes.append(tr("{size} on the disk.", size=size(loss.size_bytes)))
    return notes


def holder_words(holder: LaneHolder) -> str:
    """Who works in the lane, and on what. Display-safe."""
    name = display_text(holder.label)
    return {
        "turn": tr("the agent in {name}", name=name),
        "shell": tr("a command {name}", name=name),
        "terminal": tr("a terminal {name}", name=name),
        "setup": tr("the setup {name}", name=name),
        "run": tr("the app {name}", name=name),
    }[holder.kind].strip()
