"""RowTaker: rows of a database as they were before a write, where they are as it left them (memory-UL3)."""

from collections.abc import Callable
from pathlib import Path

from desktop.agent.core.session import Session
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.domain.core.errors import CommandError
from desktop.domain.undo.steps import RowsStep
from desktop.services.databases.connections import Databases
from desktop.services.databases.kept_rows import KeptTable, loaded, same
from desktop.store.core.blobs import BlobStore

GONE = "The rows from before are not kept any more."
ELSEWHERE = "The connection {name} leads to another database now."
CHANGED = "{count} of the rows are not as the write left them any more."


class RowTaker:
    """`databases`: as they are set up now."""

    def __init__(self, databases: Callable[[], Databases], blobs: BlobStore) -> None:
        self._databases = databases
        self._blobs = blobs

    async def look(self, session: Session, step: RowsStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        if step.database and self._here(session).find(step.connection).identity != step.database:
            return Look("blocked", ELSEWHERE.format(name=step.connection), "elsewhere")
        tables = self._tables(step)
        now = await self._here(session).rows_now(step.connection, tables)
        found = [(f"{step.connection}\0{table.name}\0{kept.key!r}", kept) for table in tables for kept in table.rows]
        there = [row for rows in now for row in rows]
        stand = [ahead.rows.get(key, row) for (key, _), row in zip(found, there, strict=True)]
        seen = repr(stand)
        done = all(same(kept.before, row) for (_, kept), row in zip(found, stand, strict=True))
        changed = sum(not same(kept.after, row) for (_, kept), row in zip(found, stand, strict=True))
        if changed and not done:
            return Look("blocked", CHANGED.format(count=changed), seen)
        ahead.rows.update({key: kept.before for key, kept in found})
        count = f"{len(found):,} row" + ("" if len(found) == 1 else "s")
        if done:
            return Look("done", "The rows are as they were before it.", seen)
        return Look("ready", f"{count} of {step.connection} become what they were.", seen)

    async def take(self, session: Session, step: RowsStep) -> Took:
        """See `Taker`. One transaction: all rows, or none."""
        look = await self.look(session, step, Ahead())
        if look.verdict == "blocked":
            raise blocked(look)
        if look.verdict == "ready":
            await self._here(session).put_rows_back(step.connection, self._tables(step))
        return Took(look.text, step.model_copy(update={"back": not step.back}))

    def _tables(self, step: RowsStep) -> tuple[KeptTable, ...]:
        data = self._blobs.get(step.rows.sha256)
        if data is None:
            raise CommandError("not_kept", GONE)
        try:
            tables = loaded(data)
        except ValueError as error:
            raise CommandError("not_kept", GONE) from error
        if step.back:
            return tables
        turned = (table._replace(rows=tuple(row.turned() for row in reversed(table.rows))) for table in tables)
        return tuple(turned)

    def _here(self, session: Session) -> Databases:
        lane = Path(session.lane.worktree_path) if session.lane is not None else None
        return self._databases().for_lane(session.state.project_path, lane)
