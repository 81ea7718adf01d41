"""A question that waits when the window is closed is answered after the next start, with what was chosen before."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QAbstractButton

from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

QUESTIONS = [
    {"id": name, "header": name.title(), "question": text, "options": [{"label": one} for one in options]}
    for name, text, options in (("place", "Where?", ("Here", "There")), ("day", "When?", ("Now", "Later")))
]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_half_answered_question_waits_through_a_close(start: Callable[[], Desk], model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("ask_user", title="The plan", questions=QUESTIONS))
    desk = start()
    desk.send("Ask me first")
    desk.answer("question_option_2")
    desk.close()
    again = start()
    chosen = again.see("question_option_2")
    assert isinstance(chosen, QAbstractButton)
    assert chosen.isChecked()
    again.answer("question_next")
    again.answer("question_option_1")
    model_api.script(text_turn("There and now."))
    again.answer("question_send")
    again.until(lambda: "There and now." in again.transcript_text(), what="the turn to go on")
    assert "> Where?\\nThere" in str(model_api.requests[-1].messages)
    again.close()
