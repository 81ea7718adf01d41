"""Commits of checkpoints that are made here, without starting git, from the tree of the checkpoint before."""

import re
from pathlib import Path

from desktop.services.git.trees.folders import FolderTrees, KnownTrees, PathsClash
from desktop.services.git.trees.listing import SUBMODULE, LaneTree, TreeEntry
from desktop.services.git.trees.writer import HASHES, LeftToGit, ObjectWriter
from desktop.services.history.commits import WHO, Draft, ReadContent, Written

MAX_BLOBS = 200
MAX_BYTES = 32 * 1024 * 1024


class QuickCommits:
    """Commits of a lane's files, one after the other. Blocking; one thread at a time.

    What is left to git: one that begins from nothing, much that is new, what is not whole, and a repository in which
    something is unusual. So is one whose base is not in a file of its own: git knows whether it has it in a pack or
    lost it. What the base holds is in the repository then.
    """

    def __init__(self, folder: Path, max_new_bytes: int, trees: KnownTrees | None = None) -> None:
        self._store = ObjectWriter(folder)
        self._max_bytes = min(max_new_bytes, MAX_BYTES)
        self._trees = trees or KnownTrees()

    def write(self, draft: Draft, before: LaneTree, now: LaneTree, read: ReadContent) -> Written:
        """Make the commit of `now`, as `git fast-import` would. `before`: the files of the draft's base.

        Raises:
            LeftToGit: git itself has to; nothing that counts was changed.
        """
        changed = [path for path in now.differing(before) if path in now.entries]
        if not draft.base_tree or now.partial or before.partial or len(changed) > MAX_BLOBS:
            raise LeftToGit("it begins from nothing, or is not whole, or much is new")
        self._store.require_plain()
        if not self._store.holds(draft.base_tree):
            raise LeftToGit("its base is in no file of its own")
        try:
            return self._write(draft, before, now, self._stored(changed, now, read, len(draft.base_tree)))
        finally:
            self._store.drop()

    def _write(self, draft: Draft, before: LaneTree, now: LaneTree, goals: dict[str, TreeEntry | None]) -> Written:
        digits = len(draft.base_tree)
        made = now.having(goals)
        goals.update((path, None) for path in made.differing(before) if path not in made.entries)
        try:
            trees, bodies = self._base(draft, before).changed(goals)
        except PathsClash as error:
            raise LeftToGit(str(error)) from error
        for body in bodies:
            self._store.write("tree", body, digits)
        who = f"{WHO} {draft.when}"
        head = f"tree {trees.root}\nauthor {who}\ncommitter {who}\n\n"
        commit = self._store.write("commit", head.encode() + draft.message(made), digits)
        self._store.point(draft.ref, commit)
        if not draft.passes:
            self._trees.note(made, trees)
        return Written(commit, trees.root, made)

    def _base(self, draft: Draft, before: LaneTree) -> FolderTrees:
        """The trees of the draft's base."""
        found = self._trees.of(before, HASHES[len(draft.base_tree)])
        if found.root != draft.base_tree:
            raise LeftToGit("its base does not hold these files")
        return found

    def _stored(self, paths: list[str], now: LaneTree, read: ReadContent, digits: int) -> dict[str, TreeEntry | None]:
        """The entries of these paths, whose content the repository has now. One that git has in a pack is written once
        more: that costs less than to ask. None: the file is gone."""
        found: dict[str, TreeEntry | None] = {}
        room = self._max_bytes
        for path in paths:
            entry = now.entries[path]
            if entry.mode == SUBMODULE:
                if re.fullmatch(f"[0-9a-f]{{{digits}}}", entry.oid) is None:
                    raise LeftToGit("a repository inside has ids of another kind")
                found[path] = entry
            elif self._store.holds(entry.oid):
                found[path] = entry
            elif (content := read(path)) is None:
                found[path] = None
            else:
                room -= len(content[1])
                if room < 0:
                    raise LeftToGit("much is new")
                found[path] = TreeEntry(content[0].mode, self._store.write("blob", content[1], digits))
        return found
