"""What the composer's row shows where there is little room."""

import pytest

from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.core.work import Activity
from desktop.domain.events import SessionStarted
from desktop.domain.updates import SessionOpened
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from tests.ui.compose_place import Place
from tests.ui.shell_samples import IDLE, IN_LANE, Recorder, envelopes, find, make_window, started

MODEL = "claude-sonnet-4-5"


@pytest.mark.parametrize(("size", "inspector"), [((1360, 840), True), ((1024, 700), False)])
def test_the_model_is_named_whole_beside_stop_and_queue(qtbot, tmp_path, size, inspector):
    sink = Recorder()
    window = make_window(tmp_path, sink, inspector=inspector)
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    window.apply_updates(started(IDLE, IN_LANE))
    window.open_chat(IDLE.session_id)
    begun = SessionStarted(endpoint_id="anthropic", model=MODEL, branch="lane/fix-login")
    log = tuple(envelopes(IDLE.session_id, begun))
    window.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    place = Place(window, sink)
    place.does(Activity.RUNNING)
    window.apply_updates([ContextMeterChanged(session_id=IDLE.session_id, used=41_000, window=100_000)])
    place.field.setPlainText("And run the tests")
    model = find(window, "composer_model", ElidedButton)
    window.page.composer.layout().activate()
    assert (model.isVisible(), model.text()) == (True, MODEL)
    assert model.toolTip() == f"{MODEL}\nChoose the model. It applies to the next turn."
    assert (place.button("composer_stop").text(), place.button("composer_send").text()) == ("Stop", "Queue")
    assert place.button("composer_context").text().startswith("41 %")
