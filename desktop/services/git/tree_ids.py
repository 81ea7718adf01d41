"""The ids that Git would give to the trees of a lane, worked out without Git and without writing."""

from desktop.services.git.folder_trees import FolderTrees, PathsClash
from desktop.services.git.tree_listing import NewHash, TreeEntry


class TreeIds:
    """The ids of the trees of one lane, one after the other: only folders in which something changed are hashed again.

    One thread at a time.
    """

    def __init__(self, new_hash: NewHash) -> None:
        self._none = FolderTrees(new_hash)
        self._known: tuple[dict[str, TreeEntry], FolderTrees] = ({}, self._none)

    def of(self, entries: dict[str, TreeEntry]) -> str:
        """The id of the tree of these files; "" where one of them stands in the way of others, which is no tree. Nobody
        changes the entries afterwards."""
        before, trees = self._known
        if entries is not before:
            goals: dict[str, TreeEntry | None] = {
                path: entry for path, entry in entries.items() if before.get(path) is not entry
            }
            goals.update((path, None) for path in before if path not in entries)
            try:
                self._known = entries, trees.changed(goals)[0]
            except PathsClash:
                self._known = {}, self._none
                return ""
        return self._known[1].root
