"""An editor that joins a window: its chat is seen in both, and a card is answered in either."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.acp_editor import Editor, Refused
from tests.agent.rig import make_repository
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn


class AtEditor:
    """Somebody at an editor, in a thread of their own, while the window works."""

    def __init__(self, desk: Desk, work: Callable[[Editor], Awaitable[None]]) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._done = self._pool.submit(asyncio.run, self._at(desk.folders.data.parent, work))

    async def _at(self, home: Path, work: Callable[[Editor], Awaitable[None]]) -> None:
        async with Editor(home, home) as editor:
            await editor.greet()
            await work(editor)

    def ended(self, desk: Desk) -> None:
        """Wait until they are done."""
        desk.until(self._done.done, "the end of what is done at the editor")
        self._pool.shutdown()
        self._done.result()


def waiting(desk: Desk) -> str:
    """The titles of what waits for an answer in the one chat."""
    return " ".join(one.title for one in desk.window.book.chats[0].waiting)


def open_chat(desk: Desk) -> None:
    """Open the one chat that there is."""
    desk.until(lambda: len(desk.window.book.chats) == 1)
    desk.window.open_chat(desk.window.book.chats[0].session_id)


@pytest.mark.promise("guests-R9")
def test_a_chat_of_an_editor_is_seen_in_the_window_and_its_card_answered_there(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(
        tool_turn("bash", command="touch one"),
        tool_turn("bash", command="make 'a\u202ell'"),
        text_turn("Both are done."),
    )
    desk = start()
    socket = desk.folders.data / "instance" / "acp.sock"
    desk.until(socket.exists)
    other = make_repository(tmp_path / "other")

    async def work(editor: Editor) -> None:
        with pytest.raises(Refused, match="one at a time"):
            await editor.new(other)
        chat = await editor.new(repository)
        assert await editor.say(chat, "Work on it") == "end_turn"
        assert "Answer this in Banksman’s window." in editor.text
        assert editor.text.endswith("Both are done.")
        (first,) = editor.asked
        assert first["params"]["toolCall"]["title"] == "touch one"
        assert editor.cancelled == [{"requestId": first["id"]}]

    editor = AtEditor(desk, work)
    open_chat(desk)
    desk.answer("approval_allow_once")
    desk.until(lambda: "\u202e" in waiting(desk))
    desk.answer("approval_decline")
    desk.answer("approval_decline_confirm")
    editor.ended(desk)
    desk.idle()
    assert "Both are done." in desk.transcript_text()


@pytest.mark.promise("guests-R13")
def test_an_editor_that_goes_leaves_the_window_a_turn_that_asked_it_nothing(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("I go on.", fault="hold"))
    desk = start()

    async def work(editor: Editor) -> None:
        chat = await editor.new(repository)
        editor.prompt(chat, "Work on it")
        await editor.until(lambda: "I go" in editor.text, "nothing was said")

    AtEditor(desk, work).ended(desk)
    open_chat(desk)
    model_api.go_on()
    desk.idle()
    assert "I go on." in desk.transcript_text()
