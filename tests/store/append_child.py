"""The process of test_kill: appends to the store in a folder until it is killed, and says what it was told is stored.

python -m tests.store.append_child FOLDER: a line of seq and hash for each append, some of which are lazy.
"""

import sys
from pathlib import Path

from desktop.domain.events import SessionStarted, TurnEnded, UserMessage
from desktop.store.database import open_store


def prepare() -> None:
    """All that it needs is imported with it."""


def main(argv: list[str]) -> int:
    """Never ends by itself."""
    store = open_store(Path(argv[0]))
    if store.events.head("ses_a") is None:
        store.events.append("ses_a", SessionStarted(project_id="p"))
    number = 0
    while True:
        message = UserMessage(parts=({"type": "text", "text": "x" * (number * 997 % 9000)},))
        number += 1
        if number % 3:
            (last,) = store.events.append_many("ses_a", [message], lazy=number % 2 == 0)
        else:
            ended = TurnEnded(turn_id="t", status="completed")
            last = store.events.append_many("ses_a", [message, message, ended])[-1]
        sys.stdout.write(f"{last.seq} {last.hash}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
