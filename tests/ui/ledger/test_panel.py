"""The Ledger tab: what it lists, explains, takes back and asks for."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel

from desktop.domain.core.content import TouchedFile
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.ledger.panel import CHOOSE, EMPTY, LedgerPanel
from tests.ui.shell_samples import IDLE, NOW, Recorder, begun, envelopes, find, make_window, said, started

CHAT = IDLE.session_id


def effect(effect_id: str, kind: str = "files", **more: object) -> Effect:
    fields = {
        "effect_id": effect_id, "session_id": CHAT, "seq": 1, "at": NOW, "kind": kind, "what": f"Do {effect_id}\u202e",
        "undoable": "yes", "how": "Bytes back.", "state": "standing", "checkpoint_id": f"ckp_{effect_id}",
    }  # fmt: skip
    return Effect.model_validate({**fields, **more})


FILES = effect("a", files=(TouchedFile(path="x.py", kind="modify"),))
RULE = effect("r", "rule", scope="project", checkpoint_id="")
PUSH = effect("p", "push", undoable="partly", not_covered="Others know it.", checkpoint_id="")
GONE = effect("g", state="undone")


@pytest.fixture
def sink():
    return Recorder()


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink, inspector=True)
    qtbot.addWidget(window)
    window.resize(1360, 840)
    window.show()
    window.apply_updates(started(IDLE))
    window.open_chat(CHAT)
    window.apply_updates([SessionOpened(session_id=CHAT, envelopes=tuple(envelopes(CHAT, begun(), said("go"))))])
    return window


@pytest.fixture
def panel(window, sink, qtbot):
    window.page.tab_asked.emit("ledger")
    qtbot.waitUntil(lambda: "load_ledger" in sink.kinds())
    return find(window, "ledger_panel", LedgerPanel)


def answer(window, sink, *effects, more=0):
    command = next(c for c in reversed(sink.sent) if c.type == "load_ledger")
    window.apply_updates([LedgerLoaded(command_id=command.command_id, session_id=CHAT, effects=effects, more=more)])


def button(panel, name):
    return find(panel, f"ledger_{name}", QAbstractButton)


def test_effects_are_listed_with_whether_they_can_be_undone(panel, window, sink):
    answer(window, sink, FILES, PUSH, GONE, more=2)
    assert [row.title for row in panel.model.rows] == ["Do a⟦U+202E⟧", "Do p⟦U+202E⟧", "Do g⟦U+202E⟧"]
    assert panel.model.rows[0].detail.endswith("1 file · can be undone")
    assert panel.model.rows[1].detail.endswith("can partly be undone")
    assert panel.model.rows[2].detail.endswith("undone")
    assert find(panel, "ledger_figure", QLabel).text() == "3 changes, the newest of 5"
    tip = panel.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.splitlines()[1:] == ["Bytes back.", "x.py"]


def test_one_entry_is_undone_by_what_fits_it(panel, window, sink):
    answer(window, sink, FILES, RULE, PUSH, GONE)
    assert not button(panel, "undo").isEnabled()
    panel.select(0)
    button(panel, "undo").click()
    assert (sink.last().type, sink.last().call_id) == ("revert_change", "a")
    panel.select(1)
    assert not button(panel, "back").isEnabled()
    button(panel, "undo").click()
    assert (sink.last().type, sink.last().rule_id, sink.last().scope) == ("remove_rule", "r", "project")
    words = find(panel, "ledger_words", QLabel)
    panel.select(2)
    assert not button(panel, "undo").isEnabled()
    assert words.text() == "Bytes back. Others know it."
    panel.select(3)
    assert not button(panel, "undo").isEnabled()
    assert words.text() == "This was undone."


def test_files_as_of_before_an_entry_are_asked_for(panel, window, sink, qtbot):
    answer(window, sink, FILES)
    panel.select(0)
    with qtbot.waitSignal(panel.restore_asked) as asked:
        button(panel, "back").click()
    assert asked.args == ["ckp_a"]


def test_nothing_is_said_when_nothing_was_changed_and_a_failure_is_told(panel, window, sink):
    answer(window, sink)
    assert EMPTY in [label.text() for label in panel.findChildren(QLabel)]
    button(panel, "refresh").click()
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="x", text="It cannot be read.")])
    assert [note.text.text() for note in window.notes.area.toasts] == ["It cannot be read."]


def test_what_was_taken_back_is_read_again(panel, window, sink):
    answer(window, sink, FILES)
    assert find(panel, "ledger_words", QLabel).text() == CHOOSE
    before = sink.kinds().count("load_ledger")
    window.apply_updates(envelopes(CHAT, ReviewReverted(call_id="a"), first=2))
    assert sink.kinds().count("load_ledger") == before + 1
