"""Copies of chats as files: the neutral form with its hashes (sessions-SG4), Markdown, or one HTML page (sessions-SG6).

A copy is written beside its place and moved there when it is whole. Any thread may call this; it reads the store with
a connection of its own.
"""

import base64
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from desktop.domain.context.events import DeletionUndone, MessageDeleted
from desktop.domain.core.errors import StoreError
from desktop.domain.event_json import dump_event, load_event
from desktop.domain.history.neutral import HASH_FIELDS, PLACE_FIELDS, Neutral, dump_neutral
from desktop.store.audit.export import redacted_body
from desktop.store.core.library import ExportCancelled, ExportOptions, Redact
from desktop.store.core.verify_audit import blob_digests
from desktop.store.history.blobs import blob_content
from desktop.store.history.events import SELECT_EVENT, stored_envelope
from desktop.store.library.export_items import Item, ItemReader
from desktop.store.library.export_pages import html_page, markdown_page
from desktop.store.sqlite.connection import Row, connect_reading, fetch

HEADER_FORMAT = 1
_BATCH = 500
_PICTURE_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


def export_chats(database: Path, session_ids: Sequence[str] | None, out: Path, options: ExportOptions) -> int:
    """Write a copy of these chats (None: of all) to a new file; its size in bytes.

    A copy holds the sub-agents of a chat, and that of a fork the chats it continues, up to where it left them. Markdown
    puts pictures in a folder beside it.

    Raises:
        StoreError: no such chat, the file exists, its folder is missing, or it cannot be written. Nothing is left.
        ExportCancelled: `options.cancelled` was set. Nothing is left.
    """
    if out.exists():
        raise StoreError(f"{out} exists already. Choose another name.")
    if not out.parent.is_dir():
        raise StoreError(f"The folder {out.parent} does not exist. Choose another one.")
    part = out.with_name(f".{out.name}.{os.urandom(4).hex()}.part")
    try:
        with closing(connect_reading(database)) as connection:
            connection.execute("BEGIN")
            source = _Source(connection, database.parent, session_ids, options)
            with part.open("x", encoding="utf-8", newline="\n", errors="backslashreplace") as file:
                for text in _document(source, out, options):
                    if options.cancelled.is_set():
                        raise ExportCancelled("The export was cancelled.")
                    file.write(text)
                file.flush()
                os.fsync(file.fileno())
        size = part.stat().st_size
        part.replace(out)
        if source.pictures:
            (pictures_folder(out) / _OWN).unlink()
    except sqlite3.Error as error:
        raise StoreError(f"The chats in {database.parent} cannot be read: {error}.") from error
    except OSError as error:
        raise StoreError(f"{out} could not be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
        if not out.exists():
            _discard(out)
    return size


def _discard(out: Path) -> None:
    """The pictures of a page that was not written."""
    folder = pictures_folder(out)
    if (folder / _OWN).exists():
        for file in folder.iterdir():
            file.unlink(missing_ok=True)
        folder.rmdir()


_OWN = ".unfinished"


def pictures_folder(out: Path) -> Path:
    """The folder of the pictures of a Markdown page."""
    return out.with_name(f"{out.stem}-pictures")


class _Source:
    """The events of the chats, in order, and their blobs, over one connection."""

    def __init__(
        self, connection: sqlite3.Connection, folder: Path, session_ids: Sequence[str] | None, options: ExportOptions
    ) -> None:
        self._connection = connection
        self._folder = folder
        self.redact = options.redact
        self.pictures: dict[str, str] = {}
        every = [
            str(row[0]) for row in fetch(connection, "SELECT session_id FROM event GROUP BY 1 ORDER BY min(rowid)")
        ]
        chosen = every if session_ids is None else list(session_ids)
        missing = set(chosen) - set(every)
        if missing:
            raise StoreError(f"There is no chat {missing.pop()} in {folder}.")
        self.upto: dict[str, int | None] = {}
        for session_id in chosen:
            self._with_ancestors(session_id)
        for session_id in [*self.upto]:
            self._with_children(session_id, frozenset(every))
        self.chosen = chosen
        order = {session_id: rank for rank, session_id in enumerate(every)}
        self.sessions = sorted(self.upto, key=lambda session_id: order[session_id])

    def _with_ancestors(self, session_id: str) -> None:
        """Note the chat, and of every chat that its events continue the part up to there. Logs from elsewhere may hold
        chats that continue each other, so a part that is noted is not walked again."""
        walk: list[tuple[str, int | None]] = [(session_id, None)]
        while walk:
            session_id, limit = walk.pop()
            known = self.upto.get(session_id, -1)
            if known is None or (limit is not None and limit <= known):
                continue
            self.upto[session_id] = limit
            found = fetch(
                self._connection,
                "SELECT source.session_id, max(source.seq) FROM event AS own JOIN event AS source "
                "ON source.event_id = own.parent_id WHERE own.session_id = ? AND own.seq <= ? "
                "AND source.session_id <> own.session_id GROUP BY 1",
                (session_id, 1 << 62 if limit is None else limit),
            )
            walk += [(str(source), int(str(seq))) for source, seq in found]

    def _with_children(self, session_id: str, every: frozenset[str]) -> None:
        """Note the sub-agents that a chat begins in what the copy holds of it, and theirs (memory-SU13)."""
        limit = self.upto[session_id]
        found = fetch(
            self._connection,
            "SELECT DISTINCT json_extract(body, '$.child_id') FROM event WHERE type = 'child_begun' AND "
            "session_id = ? AND seq <= ? AND json_valid(body)",
            (session_id, 1 << 62 if limit is None else limit),
        )
        for child_id in (str(row[0]) for row in found):
            if child_id in every and self.upto.get(child_id, -1) is not None:
                self.upto[child_id] = None
                self._with_children(child_id, every)

    def rows(self, session_id: str) -> Iterator[Row]:
        """The stored events of a chat, as far as the copy holds them, a batch at a time."""
        last, limit = -(1 << 62), self.upto[session_id]
        while batch := fetch(
            self._connection,
            f"{SELECT_EVENT} WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (session_id, last, 1 << 62 if limit is None else limit, _BATCH),
        ):
            yield from batch
            last = int(str(batch[-1][2]))

    def head(self, session_id: str) -> str:
        """The hash of the newest event of a chat."""
        last = fetch(
            self._connection, "SELECT hash FROM event WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
        )
        return str(last[0][0])

    def title(self) -> str:
        """What the copy is called."""
        if len(self.chosen) != 1:
            return "Banksman chats"
        try:
            found = fetch(self._connection, "SELECT title FROM session WHERE session_id = ?", (self.chosen[0],))
        except sqlite3.Error:
            found = []
        return str(found[0][0]) if found and found[0][0] else "Banksman chat"

    def blob(self, sha256: str) -> tuple[str, bytes] | None:
        """The media type and the bytes of a blob; None when they are not there."""
        row = fetch(
            self._connection, "SELECT media_type, stored, encoding, content FROM blob WHERE sha256 = ?", (sha256,)
        )
        data = blob_content(self._folder, sha256, *row[0][1:]) if row else None
        return None if data is None else (str(row[0][0]), data)


def _document(source: _Source, out: Path, options: ExportOptions) -> Iterator[str]:
    if options.format == "jsonl":
        return _lines(source)
    clean = options.redact or str
    notice = "A full copy, nothing removed." if options.redact is None else "Secrets that were recognised are removed."
    title = clean(source.title())
    if options.format == "html":
        return html_page(title, notice, _items(source, clean), source.blob)
    return markdown_page(title, notice, _items(source, clean), lambda sha256: _save_picture(source, out, sha256))


# -- the neutral form --------------------------------------------------------------------------------------------------


def _lines(source: _Source) -> Iterator[str]:
    heads = {session_id: source.head(session_id) for session_id in source.chosen}
    header = {
        "type": "banksman.header",
        "format": HEADER_FORMAT,
        "redacted": source.redact is not None,
        "head_hash": heads[source.chosen[-1]] if source.chosen else "",
        "sessions": source.chosen,
    }
    yield _json(header)
    named: dict[str, None] = {}
    for session_id in source.sessions:
        for row in source.rows(session_id):
            yield _event_line(row, source.redact, named)
    for sha256 in named:
        found = source.blob(sha256)
        if found is not None and (source.redact is None or found[0].startswith("image/")):
            encoded = base64.b64encode(found[1]).decode("ascii")
            yield _json({"type": "banksman.blob", "sha256": sha256, "media_type": found[0], "base64": encoded})


def _event_line(row: Row, redact: Redact | None, named: dict[str, None]) -> str:
    envelope = stored_envelope(row)
    body = str(row[6])
    neutral = dump_neutral((envelope,))[0]
    if '"sha256"' in body or '"shown_sha256"' in body or '"$blob"' in body:
        fields = json.loads(body)
        named.update(dict.fromkeys(blob_digests(fields) if isinstance(fields, dict) else ()))
    if redact is None and dump_event(envelope.event, envelope.event_id, envelope.parent_id) != body:
        neutral["x_banksman"]["body"] = body
    digest = hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()
    neutral.update({"body_sha256": digest, "prev_hash": envelope.prev_hash, "hash": envelope.hash})
    return _json(neutral if redact is None else _redacted(neutral, redact))


def _redacted(neutral: Neutral, redact: Redact) -> Neutral:
    """The event without secrets; its place and its hashes are as they are."""
    extra = neutral["x_banksman"]
    said = {key: value for key, value in neutral.items() if key not in PLACE_FIELDS | HASH_FIELDS}
    clean: list[Neutral] = json.loads(redacted_body(json.dumps([said, extra["fields"]]), redact))
    return {**neutral, **clean[0], "x_banksman": {**extra, "fields": clean[1]}}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


# -- pages -------------------------------------------------------------------------------------------------------------


def _items(source: _Source, clean: Callable[[str], str]) -> Iterator[Item]:
    for session_id in source.sessions:
        left, removed = _off_the_path(source.rows(session_id))
        reader = ItemReader(left, removed)
        for row in source.rows(session_id):
            for item in reader.items(stored_envelope(row)):
                yield Item(item.kind, clean(item.head), clean(item.text), item.mark, item.pictures)


def _off_the_path(rows: Iterable[Row]) -> tuple[frozenset[str], frozenset[str]]:
    """The ids of events that a rewind left behind, and of messages that were removed from the context."""
    parents: dict[str, str | None] = {}
    removed: set[str] = set()
    head: str | None = None
    for row in rows:
        head = str(row[0])
        parents[head] = None if row[3] is None else str(row[3])
        if row[5] in ("message_deleted", "deletion_undone"):
            event = load_event(str(row[6]))
            if isinstance(event, MessageDeleted):
                removed.add(event.target_id)
            elif isinstance(event, DeletionUndone):
                removed.discard(event.target_id)
    left = dict(parents)
    while head in left:
        head = left.pop(head)
    return frozenset(left), frozenset(removed)


def _save_picture(source: _Source, out: Path, sha256: str) -> str:
    if sha256 not in source.pictures:
        found = source.blob(sha256)
        ending = _PICTURE_ENDINGS.get(found[0]) if found is not None else None
        if found is None or ending is None:
            return ""
        folder = pictures_folder(out)
        if not source.pictures:
            folder.mkdir()
            (folder / _OWN).touch()
        (folder / f"{sha256[:16]}{ending}").write_bytes(found[1])
        source.pictures[sha256] = f"{folder.name}/{sha256[:16]}{ending}"
    return source.pictures[sha256].replace(" ", "%20")
