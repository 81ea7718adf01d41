"""The results of one task beside each other: what is said of each, what can be done, what is asked of the engine."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from desktop.domain.changes.updates import LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.compared.updates import ComparisonsLoaded, ResultKept
from desktop.domain.compared.values import ComparedRun, Comparison, KeptResult, RunFigures
from desktop.domain.core.work import Activity, ChangedFile
from desktop.domain.lanes.commands import LaneSlot
from desktop.domain.updates import CommandFailed, SessionOpened, SessionsChanged
from desktop.ui.compared.card import RunCard
from desktop.ui.compared.page import ComparePage
from desktop.ui.widgets.dialogs.ask import AskDialog
from tests.ui.shell_samples import (
    NOW,
    card_events,
    envelopes,
    find,
    make_chat,
    make_lane,
    make_window,
    show_active,
    started,
    waits,
)

LANES = tuple(make_lane(n, f"try-{n}") for n in (1, 2, 3, 4))
CHATS = tuple(make_chat(n, f"Try {n}", LANES[n - 1], model=f"model {n}") for n in (1, 2, 3, 4))


def run(n: int, **figures: object) -> ComparedRun:
    slot = LaneSlot(
        lane_id=LANES[n - 1].id, session_id=CHATS[n - 1].session_id, name=f"try {n}", endpoint_id="anthropic",
        model=f"model {n}",
    )  # fmt: skip
    told = {"steps": 3, "worked_ms": 61_000, "status": "completed", "cost_microusd": 210_000}
    return ComparedRun(slot=slot, figures=RunFigures.model_validate({**told, **figures}))


def comparison(*runs: ComparedRun, n: int = 1, kept: KeptResult | None = None) -> Comparison:
    return Comparison(id=f"op_{n}", at=NOW, text=f"Task {n}", runs=runs, kept=kept)


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink)
    show_active(qtbot, window)
    window.apply_updates(started(*CHATS, lanes=LANES))
    return window


def sent(sink, kind):
    return [one for one in sink.sent if one.type == kind]


def show(window, sink, *comparisons):
    window.findChild(QAction, "action_compared").trigger()
    told = sent(sink, "load_comparisons")[-1]
    window.apply_updates([ComparisonsLoaded(command_id=told.command_id, comparisons=comparisons)])
    return find(window, "compared", ComparePage)


def cards(page):
    return [card for card in page.findChildren(RunCard, "compared_run") if not card.isHidden()]


def button(card, name):
    return find(card, name, QAbstractButton)


def test_each_result_says_its_state_time_steps_and_cost(window, sink):
    page = show(window, sink, comparison(run(1), run(2, status="failed", cost_microusd=0, cost_unknown=True)))
    first, second = cards(page)
    assert first.row.sentence == "try 1, model 1, Done, Worked 1 min 1 s · 3 steps · $0.21, No report of it"
    assert second.row.sentence == "try 2, model 2, Failed, Worked 1 min 1 s · 3 steps · cost unknown, No report of it"
    assert first.accessibleName() == first.row.sentence


def test_a_result_whose_call_was_declined_is_not_told_as_done(window, sink):
    page = show(window, sink, comparison(run(1, declined=1), run(2, declined=2)))
    first, second = cards(page)
    assert [first.row.words, second.row.words] == ["Ended, 1 call declined", "Ended, 2 calls declined"]
    assert first.row.icon == ("circle", "muted")


def test_what_each_changed_is_read_of_its_lane(window, sink):
    page = show(window, sink, comparison(run(1), run(2)))
    asked = {one.lane_id: one for one in sent(sink, "load_lane_changes") if one.scope == ChangeScope()}
    assert set(asked) == {LANES[0].id, LANES[1].id}
    file = ChangedFile(path="a.py", status="modified", added=14, removed=4)
    fields = {"lane_id": LANES[0].id, "session_id": "", "scope": ChangeScope(), "base": "main", "at": NOW}
    told = LaneChangesLoaded(command_id=asked[LANES[0].id].command_id, files=(file,), **fields)
    window.apply_updates([told])
    assert cards(page)[0].row.changed == "1 file +14 −4"


def test_a_lane_that_cannot_be_read_says_nothing_of_what_it_changed(window, sink):
    page = show(window, sink, comparison(run(1), run(2)))
    told = sent(sink, "load_lane_changes")[0]
    window.apply_updates([CommandFailed(command_id=told.command_id, code="x", text="The lane is gone.")])
    assert cards(page)[0].row.changed == ""


def test_the_one_that_waits_is_answered_in_place(window, sink, qtbot):
    waiting = CHATS[1].model_copy(update={"activity": Activity.WAITING_INPUT, "waiting": (waits(),)})
    window.apply_updates([SessionsChanged(sessions=(CHATS[0], waiting))])
    page = show(window, sink, comparison(run(1), run(2, status="")))
    assert cards(page)[1].row.words == "Approve: run SQL"
    assert sent(sink, "open_session")[-1].session_id == waiting.session_id
    opened = SessionOpened(
        session_id=waiting.session_id, envelopes=tuple(envelopes(waiting.session_id, *card_events()))
    )
    window.apply_updates([opened])
    QTest.mouseClick(button(cards(page)[1], "compared_answer"), Qt.MouseButton.LeftButton)
    card = find(page, "approval_card")
    assert card.hasFocus()
    qtbot.waitUntil(card.guard.is_open)
    QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [one.session_id for one in sent(sink, "answer_input")] == [waiting.session_id]


def test_keeping_one_is_asked_once_and_can_be_undone(window, sink):
    page = show(window, sink, comparison(run(1), run(2), run(3)))
    QTest.mouseClick(button(cards(page)[0], "compared_keep"), Qt.MouseButton.LeftButton)
    dialog = find(window, "compared_keep_dialog", AskDialog)
    assert dialog.text.text().startswith("2 other results are archived with their lanes. Nothing is deleted")
    assert sent(sink, "keep_result") == []
    dialog.agreed.emit()
    told = sent(sink, "keep_result")[-1]
    assert (told.comparison_id, told.session_id) == ("op_1", CHATS[0].session_id)
    answer = ResultKept(
        command_id=told.command_id, comparison_id="op_1", session_id=told.session_id, text="Kept try 1."
    )
    window.apply_updates([answer])
    kept = comparison(run(1), run(2).model_copy(update={"archived": True}), kept=KeptResult(session_id=told.session_id))
    window.apply_updates(
        [ComparisonsLoaded(command_id=sent(sink, "load_comparisons")[-1].command_id, comparisons=(kept,))]
    )
    first, second = cards(page)
    assert (first.row.words, second.row.words) == ("Kept", "Archived")
    assert not button(first, "compared_keep").isEnabled()
    assert button(first, "compared_keep").toolTip() == "This result was kept."
    QTest.mouseClick(find(page, "compared_undo"), Qt.MouseButton.LeftButton)
    assert sent(sink, "undo_keep_result")[-1].comparison_id == "op_1"


def test_the_first_two_are_compared_until_others_are_chosen(window, sink):
    page = show(window, sink, comparison(run(1), run(2), run(3)))

    def scopes():
        return [(one.lane_id, one.scope.reference) for one in sent(sink, "load_lane_changes") if one.scope.reference]

    assert scopes() == [(LANES[1].id, LANES[0].id)]
    page.difference.old.set_value(LANES[2].id)
    page.difference.old.chosen.emit(LANES[2].id)
    assert scopes()[-1] == (LANES[1].id, LANES[2].id)
    page.difference.new.set_value(LANES[2].id)
    page.difference.new.chosen.emit(LANES[2].id)
    assert find(page, "compared_words").text() == "Choose two results to see how they differ."


def test_a_chat_leads_to_its_own_comparison(window, sink):
    window.open_chat(CHATS[2].session_id)
    page = show(window, sink, comparison(run(1), run(2)), comparison(run(3), run(4), n=2))
    assert page.task.value == "op_2"
    page.task.chosen.emit("op_1")
    assert [card.row.title for card in cards(page)] == ["try 1", "try 2"]


def test_four_stand_beside_each_other_and_two_by_two_where_it_is_narrow(window, sink, qtbot):
    page = show(window, sink, comparison(*map(run, (1, 2, 3, 4))))
    tops = lambda: {card.mapTo(page, card.rect().topLeft()).y() for card in cards(page)}  # noqa: E731
    qtbot.waitUntil(lambda: len(tops()) == 1)
    window.resize(720, 640)
    qtbot.waitUntil(lambda: len(tops()) == 2)


def test_where_nothing_was_given_to_several_the_page_says_so(window, sink):
    page = show(window, sink)
    assert find(page, "compared_empty").isVisible()
    assert find(page, "compared_empty").text() == "No task was given to several here yet."
    assert not find(page, "compared_task").isVisible()


def test_opening_one_leaves_the_page(window, sink):
    page = show(window, sink, comparison(run(1), run(2)))
    QTest.mouseClick(button(cards(page)[1], "compared_open"), Qt.MouseButton.LeftButton)
    assert window.page.session_id == CHATS[1].session_id
    assert find(window, "compared_cover").isHidden()


def test_the_same_again_asks_nothing_and_paints_nothing(window, sink):
    page = show(window, sink, comparison(run(1), run(2)))
    rows, number = [card.row for card in cards(page)], len(sink.sent)
    window.apply_updates([SessionsChanged(sessions=CHATS)])
    assert [card.row for card in cards(page)] == rows
    assert {one.type for one in sink.sent[number:]} <= {"refresh_lanes"}


def test_a_launch_shows_its_results(window, sink):
    window.findChild(QAction, "action_several_models").trigger()
    dialog = find(window, "lane_models_dialog")
    window.lane_host.show_launched(CHATS[0].session_id)
    assert not find(window, "compared_cover").isHidden()
    dialog.reject()


def test_more_lines_of_a_difference_are_asked_for_and_nothing_is_written_on_them(window, sink):
    page = show(window, sink, comparison(run(1), run(2)))
    told = next(one for one in sent(sink, "load_lane_changes") if one.scope.reference)
    file = ChangedFile(path="a.py", status="modified", added=2, removed=2)
    fields = {"lane_id": told.lane_id, "session_id": "", "scope": told.scope, "base": "try 1", "at": NOW}
    window.apply_updates([LaneChangesLoaded(command_id=told.command_id, files=(file,), **fields)])
    assert page.difference.list.item(0).text() == "a.py  +2 −2"
    assert [(one.path, one.context) for one in sent(sink, "load_diff")] == [("a.py", 3)]
    page.difference.pane.view.context_asked.emit("more")
    page.difference.pane.view.context_asked.emit("whole")
    assert [one.context for one in sent(sink, "load_diff")] == [3, 23, -1]
    assert not page.difference.pane.view.can_comment
    page.difference.pane.view.editor_asked.emit(7)
    opened = sent(sink, "open_in_editor")[-1]
    assert (opened.lane_id, opened.path, opened.line) == (LANES[1].id, "a.py", 7)
