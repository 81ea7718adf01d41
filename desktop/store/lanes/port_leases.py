"""SqlitePortLeases: which block of ports belongs to which lane; a key of the table keeps two from getting the same."""

import sqlite3
from collections.abc import Callable

from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.core.lanes import BLOCK, FIRST_PORT, LAST_PORT
from desktop.store.sqlite.connection import Database


class SqlitePortLeases:
    """Engine thread only. Several processes may work on one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, lane_id: str) -> int:
        """The first port of the lane's block, 0 for none."""
        found = self._database.rows("SELECT base FROM port_lease WHERE lane_id = ?", (lane_id,))
        return int(str(found[0][0])) if found else 0

    def lease(self, lane_id: str, is_free: Callable[[int], bool]) -> int:
        """The lane's block: the one it has, else the first that nobody holds and that `is_free` says yes to. 0: there
        is none left.

        Raises:
            StoreWriteFailed: it could not be kept.
        """
        if known := self.of(lane_id):
            return known
        held = {int(str(base)) for (base,) in self._database.rows("SELECT base FROM port_lease")}
        for base in range(FIRST_PORT, LAST_PORT - BLOCK + 2, BLOCK):
            if base not in held and is_free(base) and self._take(base, lane_id):
                return base
        return 0

    def release(self, lane_id: str) -> None:
        """The lane has no block any more.

        Raises:
            StoreWriteFailed: it was not recorded.
        """
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM port_lease WHERE lane_id = ?", (lane_id,))

    def _take(self, base: int, lane_id: str) -> bool:
        """Whether the block is the lane's now; False: another process took it meanwhile."""
        try:
            with self._database.transaction() as connection:
                connection.execute("INSERT INTO port_lease (base, lane_id) VALUES (?, ?)", (base, lane_id))
        except StoreWriteFailed as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):
                return False
            raise
        return True
