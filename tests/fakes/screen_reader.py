"""A screen reader: a process of its own that reads the whole tree of every program over AT-SPI, again and again.

    python -m tests.fakes.screen_reader

It prints a JSON object for each name, description or text that it had not read before, at once: `text`; and one after
each round: `objects`, how many there were. It ends when its standard input is closed.
"""

import contextlib
import json
import os
import sys
import threading
from typing import Any

from jeepney import DBusAddress, MessageType, Properties, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

BUS = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
STATUS = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Status")
ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
ACCESSIBLE, TEXT = "org.a11y.atspi.Accessible", "org.a11y.atspi.Text"
ANSWER_S = 5.0
PAUSE_S = 0.02
MOST_DEEP = 60


class Reader:
    """Switches accessibility on for the session bus of its environment."""

    def __init__(self) -> None:
        with open_dbus_connection("SESSION") as session:
            session.send_and_get_reply(Properties(STATUS).set("IsEnabled", "b", True), timeout=ANSWER_S)
            address = session.send_and_get_reply(new_method_call(BUS, "GetAddress"), timeout=ANSWER_S).body[0]
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = address
        self._bus: DBusConnection = open_dbus_connection("SESSION")
        self._texts: set[str] = set()

    def read(self) -> int:
        """One round over everything; how many objects there were."""
        return self._walk(ROOT, 0)

    def _walk(self, at: tuple[str, str], depth: int) -> int:
        if depth > MOST_DEEP or at[1].endswith("/null"):
            return 0
        self._look_at(at)
        children = self._ask(at, "GetChildren")
        return 1 + sum(self._walk((name, path), depth + 1) for name, path in children or ())

    def _look_at(self, at: tuple[str, str]) -> None:
        """What a screen reader asks of an object that it comes to."""
        self._ask(at, "GetRoleName")
        self._ask(at, "GetState")
        self._ask(at, "GetRelationSet")
        for name in ("Name", "Description"):
            self._tell(self._get(at, name))
        if TEXT in (self._ask(at, "GetInterfaces") or ()):
            self._tell(self._text(at))

    def _tell(self, text: str) -> None:
        if text not in self._texts:
            self._texts.add(text)
            print(json.dumps({"text": text}), flush=True)

    def _get(self, at: tuple[str, str], name: str) -> str:
        place = DBusAddress(at[1], at[0], ACCESSIBLE)
        reply = self._bus.send_and_get_reply(Properties(place).get(name), timeout=ANSWER_S)
        return "" if reply.header.message_type is MessageType.error else str(reply.body[0][1])

    def _text(self, at: tuple[str, str]) -> str:
        message = new_method_call(DBusAddress(at[1], at[0], TEXT), "GetText", "ii", (0, -1))
        reply = self._bus.send_and_get_reply(message, timeout=ANSWER_S)
        return "" if reply.header.message_type is MessageType.error else str(reply.body[0])

    def _ask(self, at: tuple[str, str], method: str) -> Any:
        """The answer; None where the object is gone."""
        message = new_method_call(DBusAddress(at[1], at[0], ACCESSIBLE), method)
        reply = self._bus.send_and_get_reply(message, timeout=ANSWER_S)
        return None if reply.header.message_type is MessageType.error else reply.body[0]


def main() -> None:
    """Read until standard input is closed."""
    reader, over = Reader(), threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    while not over.wait(PAUSE_S):
        with contextlib.suppress(TimeoutError):
            print(json.dumps({"objects": reader.read()}), flush=True)


if __name__ == "__main__":
    main()
