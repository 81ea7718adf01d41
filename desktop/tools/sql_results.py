"""The words for the answer of a database: a line and a Markdown table for the model, a table block for people."""

from pydantic import JsonValue

from desktop.config.databases import DatabaseConnection
from desktop.domain.core.content import BlobRef, TableBlock
from desktop.services.databases.base import MAX_BYTES, DatabaseError, QueryAnswer
from desktop.services.databases.cells import Cell
from desktop.store.core.blobs import BlobStore
from desktop.tools.text import LIMIT, clip, count_words, keep_whole, size_words
from desktop.tools.tool import ToolError, ToolResult

MAX_CELL = 500
MAX_SHOWN_ROWS = 200
MAX_SHOWN_CELL = 20_000


def read_result(connection: DatabaseConnection, answer: QueryAnswer, blobs: BlobStore) -> ToolResult:
    """`staging · postgres · read-only · 3 rows of 3 · 12 ms` and the rows (tools-T86)."""
    rows = len(answer.rows)
    count = f"{count_words(rows, 'row')} of {'more' if answer.stopped else f'{rows:,}'}"
    head = f"{connection.name} · {connection.dialect} · read-only · {count} · {answer.duration_ms:,} ms"
    columns = count_words(len(answer.columns), "column")
    summary = f"{count_words(rows, 'row')} · {columns} · {answer.duration_ms:,} ms"
    return _result(head, summary, connection, answer, blobs, mode="read")


def write_result(connection: DatabaseConnection, answer: QueryAnswer, blobs: BlobStore) -> ToolResult:
    """`staging · 3 rows changed · 12 ms`, and the rows that the statement returned, if any."""
    what = "done" if answer.changed is None else f"{count_words(answer.changed, 'row')} changed"
    head = f"{connection.name} · {what} · {answer.duration_ms:,} ms"
    result = _result(head, f"{what} · {answer.duration_ms:,} ms", connection, answer, blobs, mode="write")
    return result.model_copy(update={"data": {**result.data, **_kept(connection, answer, blobs)}})


def _kept(connection: DatabaseConnection, answer: QueryAnswer, blobs: BlobStore) -> dict[str, JsonValue]:
    """Where the rows from before are, or why they are nowhere (memory-UL3)."""
    if answer.kept is None:
        return {"no_rows_kept": answer.not_kept or f"not for {connection.dialect}"}
    blob = blobs.put(answer.kept, "application/json")
    kept: JsonValue = {"blob": blob.model_dump(mode="json"), "count": answer.changed or 0}
    return {"rows_kept": kept, "database": connection.identity}


def failed(error: DatabaseError) -> ToolError:
    """The driver's words for the model."""
    summaries = {
        "timeout": "stopped",
        "effect_changed": "rolled back",
        "not_judged": "not run",
        "unknown_connection": "no such connection",
    }
    return ToolError(str(error), summary=summaries.get(error.code, "failed"), data={"code": error.code})


def table_block(answer: QueryAnswer) -> TableBlock:
    """At most 200 rows for people; `more` counts the fetched rest, and one for what was not fetched."""
    shown = answer.rows[:MAX_SHOWN_ROWS]
    nulls = tuple((y, x) for y, row in enumerate(shown) for x, cell in enumerate(row) if cell is None)
    return TableBlock(
        columns=answer.columns,
        rows=tuple(tuple("NULL" if cell is None else cell[:MAX_SHOWN_CELL] for cell in row) for row in shown),
        more=len(answer.rows) - len(shown) + (1 if answer.stopped else 0),
        types=answer.types,
        nulls=nulls,
    )


def markdown_table(answer: QueryAnswer) -> str:
    """The rows as a Markdown table; cells cut at 500 characters, NULL as `NULL`."""
    lines = [
        f"| {' | '.join(_cell(name) for name in answer.columns)} |",
        f"|{' --- |' * len(answer.columns)}",
        *(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in answer.rows),
    ]
    return "\n".join(lines)


def _result(
    head: str, summary: str, connection: DatabaseConnection, answer: QueryAnswer, blobs: BlobStore, *, mode: str
) -> ToolResult:
    parts = [head]
    if answer.columns:
        parts += ["", markdown_table(answer)]
    if answer.stopped == "rows":
        parts.append(f"[stopped at {count_words(len(answer.rows), 'row')}]")
    elif answer.stopped:
        parts.append(f"[stopped at {size_words(MAX_BYTES)} after {count_words(len(answer.rows), 'row')}]")
    text, full = "\n".join(parts), None
    if len(text) > LIMIT:
        text, full = _cut(text, blobs)
    return ToolResult(
        text=text,
        blocks=(table_block(answer),) if answer.columns else (),
        full=full,
        summary=summary,
        data={
            "connection": connection.name,
            "dialect": connection.dialect,
            "mode": mode,
            "rows": len(answer.rows),
            "changed": answer.changed if mode == "write" else None,
            "stopped": answer.stopped,
            "duration_ms": answer.duration_ms,
        },
    )


def _cut(text: str, blobs: BlobStore) -> tuple[str, BlobRef | None]:
    ref, words = keep_whole(blobs, text.encode, "text/markdown")
    return clip(text, whole=words), ref


def _cell(text: Cell) -> str:
    if text is None:
        return "NULL"
    short = text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
    return short.replace("\\", "\\\\").replace("|", "\\|").replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
