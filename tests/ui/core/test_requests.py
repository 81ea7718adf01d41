"""Requests: a command, what comes of it, and whom that reaches."""

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.domain.commands import LoadRules
from desktop.domain.lanes.updates import LaneBasesListed
from desktop.domain.updates import CommandFailed, EndpointChecked, EngineStopped, TextSaved
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer, progress
from tests.ui.shell_samples import Recorder


class Exporting(QWidget):
    """A real part: a button that asks, a label that says what came."""

    def __init__(self, requests: Requests) -> None:
        super().__init__()
        self._requests = requests
        self.request = Request()
        self.label = QLabel(self)
        self.button = QPushButton("Ask", self)
        self.button.clicked.connect(self._ask)
        rows = QVBoxLayout(self)
        rows.addWidget(self.button)
        rows.addWidget(self.label)

    def _ask(self) -> None:
        replies = progress(EndpointChecked, self._on_step), answer(TextSaved, self._on_saved)
        self.request = self._requests.ask(LoadRules(), self, *replies, failed=self._on_failed)

    def _on_step(self, update: EndpointChecked) -> None:
        self.label.setText(f"step {update.text}")

    def _on_saved(self, update: TextSaved) -> None:
        self.label.setText(f"saved {update.path}")

    def _on_failed(self, failed: CommandFailed) -> None:
        self.label.setText(failed.text)


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def requests(sink) -> Requests:
    return Requests(sink)


@pytest.fixture
def part(qtbot, requests) -> Exporting:
    made = Exporting(requests)
    qtbot.addWidget(made)
    made.show()
    return made


def saved(command, path="/notes.txt") -> TextSaved:
    return TextSaved(command_id=command.command_id, session_id="", path=path)


def refused(command) -> CommandFailed:
    return CommandFailed(command_id=command.command_id, code="x", text="There is no room.")


def step(command, text: str) -> EndpointChecked:
    return EndpointChecked(command_id=command.command_id, endpoint_id="e", ok=True, text=text)


def deliver(requests, *updates) -> None:
    requests.deliver(updates, Hearing())


def test_a_part_is_told_each_step_and_the_answer_of_its_own_command_alone(part, requests, sink):
    assert not part.request.is_waiting
    part.button.click()
    asked = sink.last()
    other = LoadRules()

    deliver(requests, step(other, "of another"), saved(other))
    assert part.label.text() == ""
    assert part.request.is_waiting
    deliver(requests, step(asked, "one"), step(asked, "two"))
    assert part.label.text() == "step two"
    assert part.request.is_waiting
    deliver(requests, saved(asked))
    assert part.label.text() == "saved /notes.txt"
    assert not part.request.is_waiting
    deliver(requests, saved(asked, "/again.txt"))
    assert part.label.text() == "saved /notes.txt"


def test_a_refusal_ends_a_request(part, requests, sink):
    part.button.click()
    deliver(requests, refused(sink.last()), saved(sink.last()))
    assert part.label.text() == "There is no room."
    assert not part.request.is_waiting


def test_an_answer_of_a_kind_that_nobody_named_leaves_the_request_waiting(part, requests, sink):
    part.button.click()
    deliver(requests, LaneBasesListed(command_id=sink.last().command_id, bases=(), prefix=""))
    assert part.request.is_waiting


def test_what_was_dropped_is_not_told(part, requests, sink):
    part.button.click()
    part.request.drop()
    deliver(requests, saved(sink.last()))
    assert part.label.text() == ""
    assert not part.request.is_waiting


def test_a_request_ends_with_its_owner(requests, sink, qtbot):
    heard, owner = [], QObject()
    request = requests.ask(LoadRules(), owner, answer(TextSaved, heard.append), failed=heard.append)

    with qtbot.waitSignal(owner.destroyed):
        owner.deleteLater()
    deliver(requests, saved(sink.last()), refused(sink.last()))

    assert heard == []
    assert not request.is_waiting


def test_a_dialog_that_is_closed_is_told_nothing_though_it_is_kept(requests, sink, qtbot):
    heard, parent = [], QWidget()
    qtbot.addWidget(parent)
    dialog = QDialog(parent)
    dialog.open()
    requests.ask(LoadRules(), dialog, answer(TextSaved, heard.append))

    dialog.reject()
    deliver(requests, saved(sink.last()))

    assert heard == []


def test_two_can_wait_for_one_command_and_the_first_is_told_first(requests, sink, qtbot):
    heard, owner = [], QObject()
    command = LoadRules()
    requests.expect(command, owner, failed=lambda failed: heard.append("first"))
    assert sink.sent == []
    requests.ask(command, owner, failed=lambda failed: heard.append("second"))
    assert sink.sent == [command]

    deliver(requests, refused(command))

    assert heard == ["first", "second"]


def test_an_answer_comes_in_its_place_among_the_updates_that_all_hear(requests, sink, qtbot):
    heard, owner = [], QObject()
    hearing = Hearing().on(EngineStopped, lambda update: heard.append(update.reason)).after(lambda: heard.append("."))
    hearing.on(TextSaved, lambda update: heard.append("all"))
    requests.ask(LoadRules(), owner, answer(TextSaved, lambda update: heard.append("asker")))

    requests.deliver([EngineStopped(reason="one"), saved(sink.last()), EngineStopped(reason="two")], hearing)

    assert heard == ["one", "all", "asker", "two", "."]


def test_a_part_may_ask_again_when_it_is_answered(requests, sink, qtbot):
    heard, owner = [], QObject()

    def again(update: TextSaved) -> None:
        heard.append(update.path)
        requests.ask(LoadRules(), owner, answer(TextSaved, again))

    again(TextSaved(command_id="", session_id="", path="/0"))
    for path in ("/1", "/2"):
        deliver(requests, saved(sink.last(), path))

    assert heard == ["/0", "/1", "/2"]
    assert len(sink.sent) == 3


def test_commands_that_nothing_answers_are_not_kept_for_ever(requests, sink, qtbot):
    owner = QObject()
    asked = [requests.ask(LoadRules(), owner, failed=print) for _ in range(2001)]
    assert not asked[0].is_waiting
    assert asked[1].is_waiting
    assert asked[-1].is_waiting
