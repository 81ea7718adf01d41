"""A store that cannot be written, or not all of which can be read: a private copy of what can be read, and why.

The file itself is only read. The copy has lists and a search of its own, made in it; it refuses new entries, and goes
when the store is closed.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from desktop.config.private_files import make_private_file
from desktop.domain.core.errors import StoreUnavailable
from desktop.records import dataclass
from desktop.store.sqlite.connection import connect_writing
from desktop.store.sqlite.migrations import migrate, refuse_unusable
from desktop.store.sqlite.salvage import Salvaged, salvage
from desktop.store.sqlite.soundness import fault

_PAGE = 4096
_DAMAGED = "damaged.db"
_SPOKEN_OF = 20
_REFUSED = ("event", "blob", "lane", "deletion")
_NAMES = {
    "event": "The table of the entries",
    "blob": "The table of pictures and long outputs",
    "meta": "The table with the name of this store",
    "deletion": "The list of deleted chats",
    "lane": "The table of the lanes",
}


@dataclass(frozen=True)
class ReadingCopy:
    """`folder`: where the copy stands, as a store. `problems`: sentences; `missing`: numbers of entries by chat."""

    folder: Path
    problems: tuple[str, ...]
    found: Salvaged
    _own: TemporaryDirectory[str]

    def remove(self) -> None:
        """Take the copy away; its connection is closed."""
        self._own.cleanup()


def copy_for_reading(folder: Path, database_name: str, why: str, now: datetime) -> ReadingCopy:
    """Make the copy. `why`: what kept the store from being opened, a sentence.

    Raises:
        StoreUnavailable: a newer version wrote it, it is some other database, or nothing of it can be read; the text
            is `why` then.
        OSError: there is no room for a copy.
    """
    own = TemporaryDirectory(prefix="banksman-reading-")
    place = Path(own.name)
    try:
        _copy_files(folder, place, database_name)
        file = place / database_name
        problems: tuple[str, ...] = (why,)
        found = Salvaged()
        if not _is_whole(file, folder):
            for end in ("", "-wal"):
                if (place / f"{database_name}{end}").exists():
                    (place / f"{database_name}{end}").rename(place / f"{_DAMAGED}{end}")
            found = _salvaged(place / _DAMAGED, file, now, why)
            problems += tuple(f"{_NAMES[table]} is gone." for table in found.gone)
            problems += tuple(f"{_NAMES[table]} cannot be read whole." for table in found.partly if table != "event")
        return ReadingCopy(place, problems, found, own)
    except BaseException:
        own.cleanup()
        raise


def refuse_entries(connection: sqlite3.Connection) -> None:
    """From here on the copy takes nothing that would have to last."""
    for table in _REFUSED:
        for act in ("INSERT", "UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER {table}_{act}_is_refused BEFORE {act} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'the store is read-only'); END"
            )


def missing_sentences(found: Salvaged, title_of: Callable[[str], str]) -> tuple[str, ...]:
    """The sentences about entries that cannot be read, one for each chat; `title_of` gives "" for a chat of which
    nothing is left."""
    sentences: list[str] = []
    for session_id, seqs in list(found.missing.items())[:_SPOKEN_OF]:
        title = title_of(session_id)
        if title:
            entries = "Entry" if len(seqs) == 1 else "Entries"
            sentences.append(f"{entries} {_spans(sorted(seqs))} of “{title}” cannot be read.")
        else:
            entries = "1 entry" if len(seqs) == 1 else f"{len(seqs):,} entries"
            name = found.lists.get(session_id, ("", ""))[1]
            chat = f"The chat “{name}”" if name else "A chat"
            sentences.append(f"{chat} with {entries} cannot be read.")
    more = len(found.missing) - _SPOKEN_OF
    if more > 0:
        sentences.append(f"Entries of {more:,} more chats cannot be read.")
    if not found.events and "event" in found.partly:
        sentences.append("No entry can be read.")
    elif found.cut or ("event" in found.partly and not found.missing):
        sentences.append("The newest entries may be missing.")
    return tuple(sentences)


def _spans(seqs: Sequence[int]) -> str:
    """`3, 5 to 9`: at most six stretches."""
    spans: list[list[int]] = []
    for seq in seqs:
        if spans and seq == spans[-1][1] + 1:
            spans[-1][1] = seq
        else:
            spans.append([seq, seq])
    words = [f"{low}" if low == high else f"{low} to {high}" for low, high in spans]
    return ", ".join(words[:6]) + (f" and {len(words) - 6} more stretches" if len(words) > 6 else "")


def _copy_files(folder: Path, place: Path, database_name: str) -> None:
    for end in ("", "-wal"):
        source = folder / f"{database_name}{end}"
        if source.is_file():
            make_private_file(place / source.name)
            shutil.copyfile(source, place / source.name)
    if (folder / "blobs").is_dir():
        try:
            (place / "blobs").symlink_to((folder / "blobs").absolute(), target_is_directory=True)
        except OSError:  # pragma: no cover  # a system without links
            shutil.copytree(folder / "blobs", place / "blobs")


def _is_whole(file: Path, folder: Path) -> bool:
    try:
        with closing(connect_writing(file)) as connection:
            refuse_unusable(connection, folder)
            return not fault(connection) and connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error:
        return False


def _salvaged(damaged: Path, file: Path, now: datetime, why: str) -> Salvaged:
    """What can be read of `damaged`, in a new store at `file`."""
    make_private_file(file)
    with closing(connect_writing(file)) as whole:
        migrate(whole, file.parent, now)
        whole.execute("PRAGMA synchronous = OFF")
        whole.execute("DELETE FROM meta")
        try:
            found = salvage(damaged, whole)
        except sqlite3.Error:
            whole.rollback()
            _put_first_page(damaged, whole)
            found = _second_try(damaged, whole, why)
        whole.execute("INSERT OR IGNORE INTO meta VALUES ('store_id', lower(hex(randomblob(16))))")
    return found


def _second_try(damaged: Path, whole: sqlite3.Connection, why: str) -> Salvaged:
    try:
        found = salvage(damaged, whole)
    except sqlite3.Error as error:
        raise StoreUnavailable(why) from error
    if not found.events:
        raise StoreUnavailable(why)
    return found


def _put_first_page(damaged: Path, whole: sqlite3.Connection) -> None:
    """Give the copy the first page of a new store: the tables of every store begin at the same pages."""
    whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (file,) = [Path(str(row[2])) for row in whole.execute("PRAGMA database_list") if row[1] == "main"]
    first = bytearray(file.read_bytes()[:_PAGE])
    first[28:32] = (damaged.stat().st_size // _PAGE).to_bytes(4, "big")
    with damaged.open("r+b") as out:
        out.write(first)


def restore_lists(connection: sqlite3.Connection, lists: Iterable[tuple[str, tuple[str, str]]]) -> None:
    """Chats whose beginning is lost get the project and the title they were listed with."""
    rows = [(project, title, session_id) for session_id, (project, title) in lists]
    connection.executemany(
        "UPDATE session SET project_id = ?, title = CASE title WHEN '' THEN ? ELSE title END "
        "WHERE session_id = ? AND project_id = ''",
        rows,
    )
