"""The Ledger tab: what it lists, explains, takes back and asks for."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QPlainTextEdit

from desktop.domain.core.content import TouchedFile
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded, PlannedEntry, UndoPlanned
from desktop.domain.undo.steps import TreeStep
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.ledger.panel import CHOOSE, EMPTY, LedgerPanel
from desktop.ui.ledger.plan import UndoDialog
from tests.ui.shell_samples import IDLE, NOW, begun, chat_window, envelopes, find, said

CHAT = IDLE.session_id


STEP = TreeStep(then="ckp_1", now="ckp_2", paths=("x.py",))


def effect(effect_id: str, kind: str = "files", **more: object) -> Effect:
    fields = {
        "effect_id": effect_id, "session_id": CHAT, "seq": 1, "at": NOW, "kind": kind, "what": f"Do {effect_id}\u202e",
        "undoable": "yes", "how": "Bytes back.", "state": "standing", "turn_id": "trn_1", "steps": (STEP,),
    }  # fmt: skip
    return Effect.model_validate({**fields, **more})


FILES = effect("a", files=(TouchedFile(path="x.py", kind="modify"),))
PUSH = effect("p", "push", undoable="partly", not_covered="Others know it.", turn_id="", steps=())
GONE = effect("g", state="undone", done=(0,))


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = chat_window(qtbot, tmp_path, sink)
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


def plan(command_id: str, *verdicts: str, digest: str = "d1") -> UndoPlanned:
    entries = tuple(
        PlannedEntry.model_validate(
            {
                "effect_id": f"e{n}",
                "what": f"Do e{n}",
                "verdict": one,
                "text": "Words.",
                "paths": ["a", "b", "c", "d"],
                "three_way": [{"path": "a", "did": "-one\n+two", "since": "-two\n+three"}] if one == "blocked" else [],
            }
        )
        for n, one in enumerate(verdicts)
    )
    return UndoPlanned(
        command_id=command_id, session_id=CHAT, effect_id="a", reach="back", digest=digest, entries=entries
    )


def test_what_can_be_asked_for_follows_the_chosen_entry(panel, window, sink):
    answer(window, sink, FILES, PUSH, GONE)
    assert not any(button(panel, name).isEnabled() for name in ("undo", "turn", "back"))
    panel.select(0)
    for name, reach in (("undo", "this"), ("turn", "turn"), ("back", "back")):
        button(panel, name).click()
        assert (sink.last().type, sink.last().effect_id, sink.last().reach) == ("plan_undo", "a", reach)
    words = find(panel, "ledger_words", QLabel)
    panel.select(1)
    assert [button(panel, name).isEnabled() for name in ("undo", "turn", "back")] == [False, False, True]
    assert words.text() == "Bytes back. Others know it."
    panel.select(2)
    assert not button(panel, "undo").isEnabled()
    assert words.text() == "This was undone."


@pytest.mark.promise("memory-UL2")
def test_what_is_run_is_the_plan_that_was_shown_and_a_new_one_is_shown_again(panel, window, sink):
    answer(window, sink, FILES)
    panel.select(0)
    button(panel, "back").click()
    window.apply_updates([plan(sink.last().command_id, "undo", "cannot", "blocked", "not_reached")])
    dialog = window.findChild(UndoDialog)
    assert [row.detail for row in dialog.model.rows] == [
        "Words.", "Stays: Words.", "Stops here: Words.", "Not reached. Words.",
    ]  # fmt: skip
    assert dialog.list.currentIndex().row() == 2
    assert find(dialog, "undo_words", QLabel).text() == "Stops here: Words.\na\nb\nc\nd"
    sides = find(dialog, "undo_three_way", QPlainTextEdit)
    assert sides.isVisibleTo(dialog)
    assert "a: what changed since\n-two\n+three" in sides.toPlainText()
    dialog.list.setCurrentIndex(dialog.model.index(0, 0))
    assert not sides.isVisibleTo(dialog)
    assert dialog.go.text() == "Undo 1 change"
    dialog.go.click()
    command = sink.last()
    assert (command.type, command.effect_id, command.reach, command.digest) == ("run_undo", "a", "back", "d1")
    refused = CommandFailed(command_id=command.command_id, code="plan_changed", text="Changed.")
    window.apply_updates([plan(command.command_id, "cannot", digest="d2"), refused])
    again = next(one for one in window.findChildren(UndoDialog) if one.plan.digest == "d2")
    assert again.text.text().startswith("What would be undone changed meanwhile.")
    assert not again.go.isEnabled()
    assert not window.notes.area.toasts


def test_what_an_undo_came_to_is_told_and_a_cut_off_one_can_go_on(panel, window, sink):
    answer(window, sink, FILES)
    panel.select(0)
    button(panel, "undo").click()
    window.apply_updates([plan(sink.last().command_id, "undo")])
    window.findChild(UndoDialog).go.click()
    done = LedgerLoaded(
        command_id=sink.last().command_id, session_id=CHAT, effects=(GONE,), told="Undone: 1 of 1.", cut_off="und_1"
    )
    window.apply_updates([done])
    assert [note.text.text() for note in window.notes.area.toasts] == ["Undone: 1 of 1."]
    assert find(panel, "ledger_cut_off", QFrame).isVisible()
    button(panel, "rest").click()
    assert (sink.last().type, sink.last().effect_id, sink.last().reach) == ("plan_undo", "und_1", "rest")


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


def test_buttons_that_are_off_say_why(panel, window, sink):
    answer(window, sink, FILES, PUSH, GONE)
    off = set()
    for row in (-1, 0, 1, 2):
        find(panel, "ledger_list").setCurrentIndex(panel.model.index(row, 0))
        for name in ("undo", "turn", "back"):
            one = button(panel, name)
            assert one.isEnabled() or one.toolTip()
            off |= set() if one.isEnabled() else {(row, one.toolTip())}
    assert {(-1, CHOOSE), (1, "No turn made this entry.")} <= off
