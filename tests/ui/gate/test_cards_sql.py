"""The SQL card: what it touches, what it would change, and what cannot be undone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from desktop.domain.commands import PreviewEffect
from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.domain.gate.events import EffectPreviewed
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed, EffectShown
from desktop.ui.gate.cards.evidence.effect_words import effect_sentences, sample_rows
from tests.ui.card_requests import DELETED, UPDATED, drop, on_click, sql
from tests.ui.card_scenes import SESSION, envelope, press

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def scene_size():
    return (760, 900)


def words(scene, name):
    return [label.text() for label in scene.get(name).findChildren(QLabel) if label.text() and not label.isHidden()]


def test_the_card_names_connection_place_kind_and_tables(scene):
    scene.ask(sql())
    assert scene.get("approval_title").text() == "Run SQL on staging?"
    assert scene.get("approval_sql_place").text() == "PostgreSQL · db.example.org"
    assert scene.get("approval_sql_touches").text() == "DELETE · sessions"


def test_the_fragment_is_marked_in_the_statement(scene):
    scene.ask(sql())
    selections = scene.get("approval_evidence").extraSelections()
    assert [selection.cursor.selectedText() for selection in selections] == ["DELETE FROM sessions"]


def test_a_fragment_without_a_place_is_said_in_words(scene):
    shown = sql().sql.model_copy(update={"span": (0, 0), "fragment": "pg_sleep"})
    scene.ask(sql(sql=shown))
    assert scene.get("approval_sql_fragment").text() == "Because of: pg_sleep"
    assert not scene.get("approval_evidence").extraSelections()


def test_a_span_that_does_not_fit_what_is_drawn_marks_nothing(scene):
    text = "SELECT '\u202e' || pg_sleep(1)"
    shown = sql().sql.model_copy(update={"span": (14, 400), "fragment": "pg_sleep"})
    scene.ask(sql(text, sql=shown))
    marked = [selection.cursor.selectedText() for selection in scene.get("approval_evidence").extraSelections()]
    assert marked in ([], ["pg_sleep(1)"])


def test_the_preview_is_shown_with_rows_and_what_cannot_be_undone(scene):
    scene.ask(sql())
    assert scene.get("approval_preview_text").text() == "Deletes 1,204 of 9,310 rows in sessions."
    assert "The preview was rolled back." in scene.get("approval_preview_more").text()
    assert "Foreign keys that acted: cart_items_session_fkey" in words(scene, "approval_preview")
    assert scene.get("approval_preview_not_undone").text().startswith("What this preview cannot undo\n• The sequence")
    model = scene.get("approval_preview_grid").model()
    assert model.rowCount() == 20
    assert [model.index(0, column).data() for column in range(4)] == ["−", "4100", "17", "2026-11-01 08:14"]
    assert model.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "before: 4100"


def test_why_there_is_no_preview_is_said(scene):
    scene.ask(drop())
    assert scene.get("approval_preview_text").text() == "No preview: the server commits it at once."


def test_a_preview_that_comes_after_the_card_is_drawn_is_shown_and_what_was_begun_stays(scene):
    scene.ask(sql(preview=None))
    assert scene.find("approval_preview") is None
    press(scene, "approval_decline")
    QTest.keyClicks(scene.visible("approval_decline_reason"), "Not on staging")
    scene.hear([EffectShown(session_id=SESSION, input_id="inp_1", preview=DELETED)])
    assert scene.visible("approval_preview_text").text() == "Deletes 1,204 of 9,310 rows in sessions."
    assert scene.visible("approval_decline_reason").text() == "Not on staging"
    scene.hear([EffectShown(session_id=SESSION, input_id="inp_1", preview=UPDATED)])
    assert len([one for one in scene.tray.findChildren(QLabel, "approval_preview_text") if one.isVisible()]) == 1


def test_a_preview_on_click_is_asked_for_and_shown_when_it_comes(scene):
    scene.ask(on_click())
    scene.settle()
    before = scene.tray.height()
    press(scene, "approval_preview_run")
    assert [type(sent) for sent in scene.sink.sent] == [PreviewEffect]
    assert scene.get("approval_preview_text").text() == "Trying it…"
    scene.hear([EffectShown(session_id=SESSION, input_id="inp_1", preview=UPDATED)])
    scene.settle()
    assert scene.get("approval_preview_text").text() == "Updates 2 of 51 rows in orders."
    assert scene.get("approval_preview_grid").isVisible()
    assert scene.tray.height() > before
    assert not scene.sink.answers


def test_trying_obeys_the_guard(scene):
    scene.ask(on_click())
    scene.settle()
    scene.seconds.pass_ms(-1)
    QTest.mouseClick(scene.get("approval_preview_run"), LEFT)
    assert not scene.sink.sent


def test_a_preview_that_failed_can_be_asked_for_again(scene):
    scene.ask(on_click())
    press(scene, "approval_preview_run")
    sent = scene.sink.sent[0]
    scene.hear([CommandFailed(command_id=sent.command_id, code="lock", text="The table is locked.")])
    assert scene.get("approval_error").text() == "The table is locked."
    assert scene.get("approval_preview_run").isVisible()


def test_a_preview_that_was_recorded_is_there_when_the_card_is_drawn_again(scene):
    scene.ask(on_click(), sql())
    scene.hear([envelope(7, EffectPreviewed(input_id="inp_1", preview=UPDATED))])
    press(scene, "tray_next")
    press(scene, "tray_previous")
    assert scene.get("approval_preview_text").text() == "Updates 2 of 51 rows in orders."


def test_what_cannot_be_undone_reads_its_effect_and_sends_the_word(scene):
    scene.ask(drop())
    scene.settle()
    button = scene.get("approval_allow_once")
    assert (button.text(), button.isEnabled()) == ("Drop table orders", False)
    chips = words(scene, "approval_chips")
    assert chips[1:] == ["changes schema", "irreversible", "production"]
    scene.get("approval_confirm_word").setFocus()
    QTest.keyClicks(scene.get("approval_confirm_word"), "shop-live")
    press(scene, "approval_allow_once")
    assert scene.sink.answers[0].answer == Answer(outcome="allow_once", confirm="shop-live")


def test_chips_follow_the_judgement_where_no_flag_says_it(scene):
    shown = sql().sql.model_copy(update={"class_": "opaque", "production": True})
    scene.ask(sql(sql=shown, risk_flags=()))
    assert words(scene, "approval_chips")[1:] == ["not proven read-only", "production"]


@pytest.mark.parametrize(
    ("tables", "sentences"),
    [
        ((), ("Changes no rows.", "The preview was rolled back.")),
        ((TableEffect(table="t", inserted=1),), ("Inserts 1 row into t.", "The preview was rolled back.")),
        (
            (TableEffect(table="log", inserted=2, by="trigger"), TableEffect(table="t", updated=1, deleted=3)),
            ("Deletes 3 rows in t.", "Updates 1 row in t.", "By a trigger: inserts 2 rows into log.",
             "The preview was rolled back."),
        ),
    ],
)  # fmt: skip
def test_each_table_and_operation_is_a_sentence(tables, sentences):
    assert effect_sentences(EffectPreview(tables=tables)) == sentences


def test_rows_before_and_after_stand_in_pairs_with_what_changed():
    rows = sample_rows(UPDATED.tables[0])
    assert [row.sign for row in rows] == ["−", "+", "−", "+"]
    assert rows[0].changed == rows[1].changed == {1}
    assert {row.sign for row in sample_rows(DELETED.tables[0])} == {"−"}


def test_the_card_is_as_high_as_it_must_be_after_every_width(scene):
    scene.ask(drop())
    card = scene.get("approval_card")
    for width in (760, 380, 470, 390, 760, 410):
        scene.window.resize(width, 900)
        scene.settle()
        assert scene.tray.height() == card.height_at(card.width()), width
        assert scene.get("approval_reason").visibleRegion().boundingRect() == scene.get("approval_reason").rect()
