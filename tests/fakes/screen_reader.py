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

from jeepney import DBusAddress, HeaderFields, Message, MessageType, Properties, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

BUS = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
STATUS = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Status")
ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
ACCESSIBLE, TEXT = "org.a11y.atspi.Accessible", "org.a11y.atspi.Text"
ANSWER_S = 5.0
PAUSE_S = 0.02
MOST_DEEP, AT_ONCE, QUESTIONS = 60, 20, 7
Place = tuple[str, str]


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
        return self._walk([ROOT], 0)

    def _walk(self, places: list[Place], depth: int) -> int:
        there = [place for place in places if not place[1].endswith("/null")] if depth <= MOST_DEEP else []
        read = 0
        for at in range(0, len(there), AT_ONCE):
            together = there[at : at + AT_ONCE]
            for children in self._look_at(together):
                read += 1 + self._walk(children, depth + 1)
        return read

    def _look_at(self, places: list[Place]) -> list[list[Place]]:
        """What a screen reader asks of objects that it comes to; their children."""
        questions = [question for place in places for question in _questions(place)]
        answers = iter(self._answers(questions))
        children: list[list[Place]] = []
        texts: list[Place] = []
        for place in places:
            name, description, interfaces, below, *_ = (next(answers) for _ in range(QUESTIONS))
            for words in (name, description):
                self._tell(str(words[1]) if words else "")
            texts += [place] if TEXT in (interfaces or ()) else []
            children.append([(of, path) for of, path in below or ()])
        for text in self._answers([_question(place, "GetText", TEXT, "ii", (0, -1)) for place in texts]):
            self._tell(str(text or ""))
        return children

    def _tell(self, text: str) -> None:
        if text not in self._texts:
            self._texts.add(text)
            print(json.dumps({"text": text}), flush=True)

    def _answers(self, questions: list[Message]) -> list[Any]:
        """In order, None where the object is gone. All are asked before the first answer is waited for: one after the
        other, each waits until three processes had their turn."""
        told: dict[int, Message | None] = {}
        for question in questions:
            serial = next(self._bus.outgoing_serial)
            told[serial] = None
            self._bus.send(question, serial=serial)
        missing = len(told)
        while missing:
            reply = self._bus.receive(timeout=ANSWER_S)
            serial = reply.header.fields.get(HeaderFields.reply_serial, -1)
            if serial in told:
                told[serial] = reply
                missing -= 1
        return [
            None if reply is None or reply.header.message_type is MessageType.error else reply.body[0]
            for reply in told.values()
        ]


def _questions(at: Place) -> list[Message]:
    """What is asked of each object."""
    properties = Properties(DBusAddress(at[1], at[0], ACCESSIBLE))
    asked = ("GetInterfaces", "GetChildren", "GetRoleName", "GetState", "GetRelationSet")
    return [properties.get("Name"), properties.get("Description"), *(_question(at, method) for method in asked)]


def _question(
    at: Place, method: str, interface: str = ACCESSIBLE, kinds: str = "", values: tuple[int, ...] = ()
) -> Message:
    return new_method_call(DBusAddress(at[1], at[0], interface), method, kinds or None, values)


def main() -> None:
    """Read until standard input is closed."""
    reader, over = Reader(), threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    while not over.wait(PAUSE_S):
        with contextlib.suppress(TimeoutError):
            print(json.dumps({"objects": reader.read()}), flush=True)


if __name__ == "__main__":
    main()
