"""Deleting a chat asks once; about its proofs only where it has some."""

import pytest
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from desktop.domain.proofs.updates import ProofsCounted
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.library.delete_chat import DeleteChatDialog
from tests.ui.shell_samples import Recorder, find


@pytest.mark.parametrize(("count", "tick", "kept"), [(0, None, True), (2, None, True), (2, False, False)])
def test_proofs_are_kept_unless_the_tick_is_taken_away(qtbot, count, tick, kept):
    window, sink, sent = QWidget(), Recorder(), []
    qtbot.addWidget(window)
    window.show()
    requests = Requests(sink)
    dialog = DeleteChatDialog("ses_1", "Fix login", requests, window)
    dialog.wanted.connect(sent.append)
    dialog.open()
    box = find(dialog, "delete_chat_proofs", QCheckBox)
    assert not box.isVisible()
    counted = ProofsCounted(command_id=sink.last().command_id, session_id="ses_1", count=count)
    requests.deliver([counted], Hearing())
    assert (box.isVisible(), box.isChecked()) == (count > 0, True)
    if tick is not None:
        assert box.text() == "Keep 2 proofs for at least 90 days"
        box.setChecked(tick)
    find(dialog, "delete_chat_go", QPushButton).click()
    assert [(command.session_id, command.keep_proofs) for command in sent] == [("ses_1", kept)]
