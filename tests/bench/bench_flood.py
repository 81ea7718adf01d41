"""A window while an agent of somebody else floods: `python -m tests.bench.bench_flood [PIECES] [KIND …]`.

The whole window, offscreen, with its engine and an agent in the sandbox, whose chat is open. Each kind of flood is one
turn. Told of each: how long it took, the gaps of the window's thread with how much of them it worked itself, and the
resident memory at its end. A frame is late after 16 ms (guests 10.9).
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication

from desktop.app import SWITCH_INTERVAL_S
from desktop.bridge.bridge import Bridge
from desktop.collecting import looks_by_hand
from desktop.domain.commands import NewSession, OpenProject, SendMessage
from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from tests.agent.found_sandbox import found_sandbox
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.bench.bench_many import rss_mib
from tests.bench.bench_transcript import Gaps, run_until
from tests.installed_guest import InstalledGuest

PIECES, LIMIT_S = 1_000_000, 900.0
MIB = 1024 * 1024


def chunk(text: str, kind: str = "agent_message_chunk") -> dict[str, Any]:
    """A piece of what it says."""
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}


def call(status: str) -> dict[str, Any]:
    """A call that it made without asking."""
    told = {"toolCallId": "t#", "title": "Read", "kind": "read", "status": status, "locations": [{"path": "app.py"}]}
    return {"sessionUpdate": "tool_call", **told}


def floods(pieces: int) -> dict[str, list[dict[str, Any]]]:
    """What it does in the turn of each kind."""
    commands = [{"name": f"do-#-{n}", "description": "It does something. " * 5} for n in range(50)]
    entries = [{"content": f"step {n} of #", "status": "pending", "priority": "low"} for n in range(100)]
    few = pieces // 100
    return {
        "one long word": [{"pieces": pieces}],
        "words": [{"flood": chunk("word # "), "times": pieces}],
        "lines of Markdown": [{"flood": chunk("- **line** `#` of a list\n"), "times": pieces // 4}],
        "lines of code": [
            {"update": chunk("```python\n")},
            {"flood": chunk("x = call(#)  # one\n"), "times": pieces // 4},
        ],
        "rows of a table": [
            {"update": chunk("| a | b |\n|---|---|\n")},
            {"flood": chunk("| one `#` | **two** |\n"), "times": pieces // 4},
        ],
        "thoughts": [{"flood": chunk("hm # ", "agent_thought_chunk"), "times": pieces}],
        "texts of 100,000 characters": [{"flood": chunk("a line of text\n" * 6_700), "times": pieces // 10_000}],
        "calls": [{"flood": call("completed"), "times": 1_900}],
        "updates of one call": [
            {"update": call("in_progress")},
            {"flood": {**call("in_progress"), "toolCallId": "t#".replace("#", "0")}, "times": few},
        ],
        "todos": [{"flood": {"sessionUpdate": "plan", "entries": entries}, "times": few}],
        "commands of its own": [
            {"flood": {"sessionUpdate": "available_commands_update", "availableCommands": commands}, "times": few}
        ],
        "context": [{"flood": {"sessionUpdate": "usage_update", "used": 0, "size": 1, "n": "#"}, "times": few}],
        "nothing known": [{"flood": {"sessionUpdate": "of_another_time", "n": "#"}, "times": pieces}],
        "lines that are none": [{"raw": "\n".join(["[]", '{"jsonrpc": "2.0", "method": "x"}'] * few)}],
    }


class Flooded:
    """A window with the chat of an agent."""

    def __init__(self, folder: Path) -> None:
        self.app = QApplication([])
        load_fonts()
        install_theme(self.app)
        os.environ["SHELL"] = ""
        os.environ["PATH"] = os.pathsep.join((str(folder / "tools"), os.environ["PATH"]))
        folders = folders_below(folder / "home")
        write_settings(folders, "http://127.0.0.1:1")
        self.guest = InstalledGuest(folders, folder / "tools")
        self.guest.describe()
        self.guest.install()
        settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        self.bridge = Bridge(folders, found=found_sandbox())
        self.window = whole_window(self.bridge, utc_now, window_parts(settings), settings)
        self.ended: list[str] = []
        self.bridge.batch.connect(self.window.apply_updates, Qt.ConnectionType.QueuedConnection)
        self.bridge.batch.connect(self._heard, Qt.ConnectionType.QueuedConnection)
        self.window.resize(1360, 840)
        self.window.show()
        self.bridge.start()
        self.bridge.send(OpenProject(path=str(make_repository(folder / "shop"))))
        run_until(self.app, lambda: self.window.engine.project is not None)
        self.chat = new_session_id()
        self.guest.plays({"say": "ready"})
        self.bridge.send(NewSession(session_id=self.chat, text="Do it", mode=PermissionMode.EDIT, driver=self.guest.id))
        run_until(self.app, lambda: len(self.ended) == 1)
        self.window.open_chat(self.chat)
        run_until(self.app, lambda: False, 2)

    def flood(self, title: str, steps: list[dict[str, Any]]) -> None:
        """One turn with these steps; its figures."""
        before, memory = len(self.ended), rss_mib()
        self.guest.plays(*steps)
        gaps = Gaps()
        gaps.start()
        began = time.monotonic()
        self.bridge.send(SendMessage(session_id=self.chat, text=title))
        run_until(self.app, lambda: len(self.ended) > before, LIMIT_S)
        took = time.monotonic() - began
        run_until(self.app, self._laid_out, 30)
        run_until(self.app, lambda: False, 0.5)
        told = gaps.stop()
        how = self.ended[-1] if len(self.ended) > before else "did not end"
        print(f"{title}: {took:.1f} s, {how}; gaps {told}, ms; {rss_mib() - memory:+.0f} MiB", flush=True)

    def _laid_out(self) -> bool:
        """Whether all that is in view is there."""
        view = self.window.findChild(TranscriptView)
        rows = range(view.row_at(0), view.row_at(view.viewport().height()) + 1)
        return not any(view.layouts.layout_of(row).unfinished for row in rows)

    def _heard(self, batch: list[Update]) -> None:
        for one in batch:
            if isinstance(one, Envelope) and one.kind == "turn_ended":
                self.ended.append(str(getattr(one.event, "status", "")))


def main(folder: Path) -> None:
    """Measure and print."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else PIECES
    flooded = Flooded(folder)
    for title, steps in floods(pieces).items():
        if not sys.argv[2:] or title in sys.argv[2:]:
            flooded.flood(title, steps)
    flooded.window.close()
    flooded.bridge.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name, looks_by_hand():
        main(Path(name))
