"""Links from outside: they bring something into view in a window that is open, and do nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.config.links import REFUSED
from desktop.domain.commands import OpenSession
from desktop.domain.updates import EngineReady, EngineStopped, ProjectOpened, SessionsChanged
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.windows import Windows
from tests.ui.shell_samples import NOW, PROJECT, SETTINGS, Recorder, ini, make_chat

CHAT = make_chat(1, "First").model_copy(update={"session_id": "ses_" + "0" * 31 + "1"})


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def windows(qtbot: QtBot, qapp: QApplication, tmp_path: Path, sink: Recorder) -> Iterator[Windows]:
    install_theme(qapp)
    made = Windows(sink, lambda: NOW, ini(tmp_path, "window"), qapp)
    qtbot.addWidget(made.first)
    made.first.show()
    made.apply_updates(
        [EngineReady(settings=SETTINGS), ProjectOpened(project=PROJECT), SessionsChanged(sessions=(CHAT,))]
    )
    yield made
    made.apply_updates([EngineStopped(reason="The test is over.")])
    for window in made.all():
        window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def toasts(windows: Windows) -> list[str]:
    return [toast.text.text() for toast in windows.first.notes.area.toasts]


def test_a_link_shows_its_chat_and_sends_nothing_but_that_it_is_looked_at(windows: Windows, sink: Recorder) -> None:
    sent = len(sink.sent)
    windows.follow(f"banksman://chat/{CHAT.session_id}")
    assert windows.first.page.session_id == CHAT.session_id
    assert {type(one) for one in sink.sent[sent:]} <= {OpenSession}
    assert len(windows.all()) == 1


@pytest.mark.parametrize(
    "link",
    [
        "banksman://chat/ses_" + "f" * 32,
        "banksman://lane/ln_0123456789ab",
        "banksman://pull/ln_0123456789ab",
        "banksman://run/x",
    ],
)
def test_a_link_that_leads_nowhere_says_so(windows: Windows, sink: Recorder, link: str) -> None:
    sent = len(sink.sent)
    windows.follow(link)
    assert any(REFUSED in text for text in toasts(windows))
    assert sink.sent[sent:] == []


def test_a_link_is_followed_in_the_window_that_was_used_last(windows: Windows, qtbot: QtBot) -> None:
    second = windows.open()
    qtbot.waitUntil(second.isActiveWindow)
    windows.follow(f"banksman://card/{CHAT.session_id}")
    assert second.page.session_id == CHAT.session_id
    assert windows.first.page.session_id != CHAT.session_id
