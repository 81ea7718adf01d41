"""Gaps of the UI thread while the inbox opens over many requests: `python -m tests.bench.bench_inbox [--requests 200]`.

Printed are the gaps of a first opening and of later ones, each with how much of them this thread worked itself.
"""

import argparse
import os
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from desktop.ui.theme.stylesheet import install_theme
from tests.bench.bench_transcript import Gaps, run_until
from tests.ui.card_scenes import approval
from tests.ui.inbox_place import InboxPlace, asked

REQUESTS, CHATS, OPENINGS, TIME_LIMIT_S = 200, 50, 5, 20


def main() -> None:
    """Open it some times and print the gaps."""
    parser = argparse.ArgumentParser(description="Open the inbox over many requests.")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    requests = parser.parse_args().requests
    app = QApplication([])
    install_theme(app)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        inbox = InboxPlace(Path(name))
        inbox.hear(*(asked(f"ses_{n % CHATS}", n, approval(f"Run {n}", undoable="no")) for n in range(requests)))
        inbox.owner.show()
        for opening in range(1, OPENINGS + 1):
            print(f"opening {opening}: {_opened(app, inbox)}", flush=True)


def _opened(app: QApplication, inbox: InboxPlace) -> str:
    """The gaps from asking for the inbox until its card has been there for a moment."""
    gaps, later = Gaps(), Gaps()
    run_until(app, lambda: False, 0.2)
    gaps.start()
    dialog = inbox.begin()
    run_until(app, lambda: inbox.card_id != "", TIME_LIMIT_S)
    later.start()
    run_until(app, lambda: len(later.values) > OPENINGS, TIME_LIMIT_S)
    told = gaps.stop()
    later.stop()
    dialog.close()
    run_until(app, lambda: not inbox.is_open, TIME_LIMIT_S)
    return told


if __name__ == "__main__":
    main()
