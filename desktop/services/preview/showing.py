"""What a command did in a copy, for people: each file with its hashes, and the difference line by line."""

from collections.abc import Mapping

from desktop.domain.core.content import Block, DiffBlock, TextBlock
from desktop.domain.core.errors import PathError
from desktop.domain.preview.effect import EffectFile
from desktop.services.changes.sides import FileState, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.line_diff import line_diff
from desktop.services.git.trees.listing import TreeEntry

Goals = dict[str, tuple[TreeEntry, bytes] | None]
MOST_DIFF_CHARS = 256 * 1024
MOST_DIFFS = 100


def shown_files(
    files: LaneFiles, goals: Goals, after: Mapping[str, FileState]
) -> tuple[tuple[EffectFile, ...], tuple[Block, ...]]:
    """The files with their hashes, and the difference line by line for as many as can be shown."""
    shown: list[EffectFile] = []
    blocks: list[Block] = []
    room = MOST_DIFF_CHARS
    for path, goal in goals.items():
        try:
            before = state_now(files, path)
        except PathError:
            before = None
        then = after[path] if goal is not None else None
        block, added, removed = _block(path, before, then)
        size = len(block.unified) if isinstance(block, DiffBlock) else len(block.text)
        room -= size
        if len(blocks) < MOST_DIFFS and room >= 0:
            blocks.append(block)
        shown.append(effect_file(path, before, then, added, removed))
    if len(blocks) < len(shown):
        blocks.append(TextBlock(text=f"{len(shown) - len(blocks)} more files differ."))
    return tuple(shown), tuple(blocks)


def effect_file(
    path: str, before: FileState | None, then: FileState | None, added: int = 0, removed: int = 0
) -> EffectFile:
    """One file with its hashes."""
    return EffectFile(
        path=path,
        kind="delete" if then is None else "create" if before is None else "modify",
        before_sha256=before.sha256 if before is not None else None,
        after_sha256=then.sha256 if then is not None else None,
        before_mode=before.mode if before is not None else "",
        after_mode=then.mode if then is not None else "",
        size=then.size if then is not None else 0,
        added=added,
        removed=removed,
    )


def _block(path: str, before: FileState | None, then: FileState | None) -> tuple[DiffBlock | TextBlock, int, int]:
    """The change of one file for people, with the lines that come and go."""
    texts = [_text(side) for side in (before, then)]
    if texts[0] is None or texts[1] is None:
        sizes = " → ".join(f"{side.size:,} bytes" if side is not None else "no file" for side in (before, then))
        return TextBlock(text=f"{path}: not a text that can be shown, {sizes}"), 0, 0
    found = line_diff(texts[0], texts[1])
    if before is not None and then is not None and before.mode != then.mode:
        words = f"{path}: mode {before.mode} → {then.mode}"
        if not found.unified:
            return TextBlock(text=words), 0, 0
    if found.too_large:
        return TextBlock(text=f"{path}: +{found.added} −{found.removed}"), found.added, found.removed
    return (
        DiffBlock(path=path, unified=found.unified, added=found.added, removed=found.removed),
        found.added,
        found.removed,
    )


def _text(side: FileState | None) -> str | None:
    """The text of a side, "" where there is no file; None: it is none that can be shown."""
    if side is None:
        return ""
    if side.data is None or b"\0" in side.data:
        return None
    try:
        return side.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
