"""Long chats: `python -m tests.bench.bench_sessions [EVENTS]`.

Prints what opening costs against reading the rows, what an append costs at different lengths, what an export and a
search cost, and how much memory ten idle chats take.
"""

import gc
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    AssistantMessage,
    Event,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.history.builder import HistoryBuilder
from desktop.store.core.library import ExportFormat, ExportOptions
from desktop.store.database import DATABASE_NAME, SqliteStore, open_store
from desktop.store.history.events import SELECT_EVENT
from desktop.store.library.exports import export_chats
from desktop.store.library.search import search

EVENTS = 100_000
CALLS = 5
WORDS = "lorem ipsum dolor sit amet consetetur sadipscing elitr " * 12


def main() -> None:
    """Measure and print."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_store(folder / "store")
        fill(store, "ses_long", events)
        fill(store, "ses_20k", min(events, 20_000))
        for number in range(10):
            fill(store, f"ses_idle_{number}", 1000)
        appends(store)
        store.close()
        opening(folder / "store")
        exports(folder)
        searching(folder / "store")


def fill(store: SqliteStore, session_id: str, events: int) -> None:
    """A chat of about so many events."""
    made: list[Event] = [SessionStarted(project_id="bench", endpoint_id="demo")]
    turn = 0
    while len(made) < events:
        made += one_turn(turn)
        turn += 1
    for start in range(0, len(made), 500):
        store.events.append_many(session_id, made[start : start + 500])


def one_turn(turn: int) -> list[Event]:
    """A prompt, calls with results, an end."""
    made: list[Event] = [TurnStarted(turn_id=f"t{turn}"), UserMessage(parts=text(f"prompt {turn} {WORDS[:200]}"))]
    for step in range(CALLS):
        call = f"call_{turn}_{step}"
        given = {"command": f"ls {WORDS[:120]}"}
        use = {"type": "tool_use", "id": call, "name": "bash", "input": given}
        made += [
            AssistantMessage(parts=(*text(WORDS[:300]), use), usage=Usage(input=9, output=9), cost_microusd=5),
            ToolCallDecided(
                call_id=call,
                name_called="bash",
                tool="bash",
                input=given,
                verdict=Verdict.ALLOW,
                rule="r",
                mode=PermissionMode.EDIT,
            ),
            ToolCallStarted(call_id=call, tool="bash", input=given),
            ToolCallFinished(call_id=call, outcome="ok", content=WORDS),
        ]
    return [*made, TurnEnded(turn_id=f"t{turn}", status="completed")]


def text(words: str) -> tuple[dict[str, str], ...]:
    """Message parts."""
    return ({"type": "text", "text": words},)


def appends(store: SqliteStore) -> None:
    """The same append to a short and to a long chat."""
    message = UserMessage(parts=text(WORDS))
    for session_id in ("ses_idle_0", "ses_long"):
        times = sorted(timed(lambda s=session_id: store.events.append(s, message)) for _ in range(300))
        print(f"append to {session_id}: median {times[150] * 1000:.2f} ms, p99 {times[297] * 1000:.2f} ms")


def opening(folder: Path) -> None:
    """Opening as the engine does it against reading the rows; then the message list of the next request."""
    store = open_store(folder)
    rows = opened = first = 1e9
    query = f"{SELECT_EVENT} WHERE session_id = ? AND seq > ? ORDER BY seq"
    for _ in range(5):
        gc.collect()
        rows = min(rows, timed(lambda: store.database.rows(query, ("ses_long", -1))))
        gc.collect()
        opened = min(opened, timed(lambda: open_one(store)))
    builder = open_one(store)
    first = timed(builder.messages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"rows {rows:.2f} s, open {opened:.2f} s, ratio {opened / rows:.2f}; first message list {first:.2f} s")
    store.close()
    print(f"peak of memory {before / 1024:.0f} MB")


def open_one(store: SqliteStore) -> HistoryBuilder:
    """What opening does before the newest rows can be shown and the chat can go on."""
    path, _ = store.events.opened("ses_long")
    builder = HistoryBuilder()
    for envelope in path:
        builder.add(envelope)
    for envelope in path[-500:]:
        _ = envelope.event
    return builder


def exports(folder: Path) -> None:
    """Copies of a chat of 20,000 events."""
    forms: tuple[ExportFormat, ...] = ("jsonl", "html", "markdown")
    for form in forms:
        out = folder / f"copy.{form}"
        took = timed(
            lambda f=form, o=out: export_chats(folder / "store" / DATABASE_NAME, ["ses_20k"], o, ExportOptions(f))
        )
        print(f"export of 20,000 events as {form}: {took:.1f} s, {out.stat().st_size / 1e6:.1f} MB")


def searching(folder: Path) -> None:
    """The first page for a rare and for a common word, at growing sizes."""
    store = open_store(folder)
    index = store.search
    longest = 0.0
    done = False
    begun = time.perf_counter()
    while not done:
        step = time.perf_counter()
        done = index.step()
        longest = max(longest, time.perf_counter() - step)
    entries = store.database.rows("SELECT count(*) FROM search_text")[0][0]
    print(f"index of {entries} entries: {time.perf_counter() - begun:.1f} s, longest step {longest * 1000:.0f} ms")
    for words in ("lorem", '"prompt 7 lorem"', "lorem -ipsum", "sadip*"):
        took = min(timed(lambda w=words: search(folder / DATABASE_NAME, w)) for _ in range(3))
        print(f"search {words!r}: {took * 1000:.0f} ms")
    store.close()


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
