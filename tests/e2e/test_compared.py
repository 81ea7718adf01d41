"""The same task for three models: one is declined, one waits, one is done; compared, answered in place, one is kept."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QListWidget, QWidget

from desktop.domain.core.work import Activity
from desktop.ui.compared.card import RunCard
from desktop.ui.compared.page import ComparePage
from tests.agent.guest_rig import command, done
from tests.e2e.conftest import Desk, takes_presses
from tests.e2e.hands import Hands
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn
from tests.fakes.model_turns import Answer
from tests.installed_guest import InstalledGuest

MODELS = ("opus", "sonnet", "haiku")


def script(model_api: FakeModelApi) -> None:
    """Two models run a command, which asks; the third writes a file, after which a command is not needed."""
    says: dict[str, list[Answer]] = {
        "opus": [tool_turn("bash", command="make report"), text_turn("Then not.")],
        "sonnet": [
            tool_turn("write_file", path="totals.md", content="41\n"),
            tool_turn("bash", command="make check"),
            text_turn("Checked."),
        ],
        "haiku": [tool_turn("write_file", path="totals.md", content="42\n"), text_turn("Written.")],
    }

    def answer(request: RecordedRequest) -> Answer:
        return says[request.body["model"]].pop(0)

    model_api.models = tuple({"id": one, "display_name": one.title()} for one in MODELS)
    model_api.answer_with(answer)


def cards(desk: Desk) -> dict[str, RunCard]:
    """By model."""
    found = desk.window.findChildren(RunCard, "compared_run")
    return {card.row.model: card for card in found if card.row is not None and card.isVisible()}


def press(desk: Desk, card: RunCard, name: str) -> None:
    button = card.findChild(QAbstractButton, name)
    assert button is not None
    desk.until(button.isEnabled, name)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def shows(desk: Desk, model: str, words: str) -> Callable[[], bool]:
    return lambda: words in cards(desk)[model].accessibleName()


def inside(page: QWidget, name: str) -> QWidget | None:
    """What is seen of that name on the page; the chat below it has a card of its own."""
    return next((one for one in page.findChildren(QWidget, name) if one.isVisible()), None)


def answer_in_place(desk: Desk, page: QWidget, name: str) -> None:
    desk.window.activateWindow()
    desk.until(lambda: takes_presses(inside(page, name)), f"{name} to take a press")
    button = inside(page, name)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def compare(desk: Desk, page: ComparePage, old: str, new: str) -> None:
    """See what these two results differ in: a line of one file."""
    for choice, name in ((page.difference.old, old), (page.difference.new, new)):
        row = cards(desk)[name].row
        assert row is not None
        choice.set_value(row.lane_id)
    page.difference.load()
    files = page.difference.list
    desk.until(lambda: files.count() == 1 and files.item(0).text() == "totals.md  +1 −1", "the file that differs")
    desk.until(lambda: page.difference.pane.is_showing, "its lines")


def tick(desk: Desk, *names: str) -> None:
    """Choose these models and agents alone."""
    listed = desk.see("lane_models_list")
    assert isinstance(listed, QListWidget)
    titles = lambda: [listed.item(row).text().partition("  ·  ")[0] for row in range(listed.count())]  # noqa: E731
    desk.until(lambda: set(names) <= set(titles()), "the models")
    for row, title in enumerate(titles()):
        listed.item(row).setCheckState(Qt.CheckState.Checked if title in names else Qt.CheckState.Unchecked)


def test_one_task_for_three_models_is_compared_and_one_result_kept(
    start: Callable[[], Desk], model_api: FakeModelApi
) -> None:
    script(model_api)
    desk = start()
    hands = Hands(desk)
    hands.act("several_models")
    hands.write("lane_models_text", "Write the totals")
    tick(desk, *(one.title() for one in MODELS))
    hands.press("lane_models_go")
    page = desk.see("compared")
    assert isinstance(page, ComparePage)

    desk.until(lambda: len(cards(desk)) == 3, "three results")
    desk.until(shows(desk, "opus", "Approve: make report"), "one waits")
    desk.until(shows(desk, "sonnet", "Approve: make check"), "another waits")
    desk.until(shows(desk, "haiku", "Done"), "one is done")
    desk.until(shows(desk, "haiku", "1 file +1"), "what it changed")
    assert "2 steps" in cards(desk)["haiku"].accessibleName()

    press(desk, cards(desk)["opus"], "compared_answer")
    answer_in_place(desk, page, "approval_decline")
    answer_in_place(desk, page, "approval_decline_confirm")
    desk.until(shows(desk, "opus", "Ended, 1 call declined"), "the declined one has ended")
    desk.until(shows(desk, "opus", "No file changed"), "and changed nothing")
    desk.until(lambda: inside(page, "approval_card") is not None, "the card of the other one")

    compare(desk, page, "sonnet", "haiku")

    press(desk, cards(desk)["haiku"], "compared_keep")
    dialog = desk.see("compared_keep_dialog")
    texts = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "2 other results are archived with their lanes. 1 of them still works or waits, and is stopped." in texts
    desk.click("compared_keep_go")
    desk.until(shows(desk, "haiku", "Kept"), "the kept one")
    desk.until(shows(desk, "sonnet", "Archived"), "the one that waited")
    desk.until(lambda: [one.archived for one in desk.window.book.chats].count(True) == 2, "two archived chats")
    desk.until(lambda: [one.state for one in desk.window.book.lanes].count("archived") == 2, "two archived lanes")
    desk.close()

    again = start()
    again.until(lambda: len(again.window.book.chats) == 3, "the chats")
    Hands(again).act("compared")
    again.until(lambda: len(cards(again)) == 3, "the results")
    again.until(shows(again, "haiku", "Kept"), "what was kept")
    assert "2 steps" in cards(again)["haiku"].accessibleName()
    again.click("compared_undo")
    again.until(lambda: not any(chat.archived for chat in again.window.book.chats), "the others are back")
    again.until(shows(again, "opus", "Ended, 1 call declined"), "as they were")
    assert all(chat.activity is Activity.IDLE for chat in again.window.book.chats)


def test_the_result_of_an_agent_of_others_is_compared_with_one_of_ours_kept_and_that_undone(
    start: Callable[[], Desk], model_api: FakeModelApi, guest: InstalledGuest
) -> None:
    script(model_api)
    guest.install()
    writes = {"touch": "totals.md", "text": "43\n"}
    guest.plays({"ask": command("make totals"), "then": [writes, done()]}, {"say": "The guest wrote it."})
    guest.plays({"say": "It still is 43."})
    desk = start()
    hands = Hands(desk)
    hands.act("several_models")
    hands.write("lane_models_text", "Write the totals")
    tick(desk, "Haiku", "Mine")
    hands.press("lane_models_go")
    page = desk.see("compared")
    assert isinstance(page, ComparePage)
    desk.until(lambda: set(cards(desk)) == {"haiku", "Mine"}, "two results")
    desk.until(shows(desk, "Mine", "Approve: make totals"), "the guest waits")
    press(desk, cards(desk)["Mine"], "compared_answer")
    answer_in_place(desk, page, "approval_allow_once")
    for name in ("haiku", "Mine"):
        desk.until(shows(desk, name, "Done"), f"{name} is done")
        desk.until(shows(desk, name, "1 file +1"), f"what {name} changed")

    compare(desk, page, "haiku", "Mine")

    press(desk, cards(desk)["Mine"], "compared_keep")
    desk.click("compared_keep_go")
    desk.until(shows(desk, "Mine", "Kept"), "the kept one")
    desk.until(shows(desk, "haiku", "Archived"), "the other one")
    desk.until(lambda: [one.archived for one in desk.window.book.chats].count(True) == 1, "an archived chat")
    desk.until(lambda: [one.state for one in desk.window.book.lanes].count("archived") == 1, "an archived lane")
    desk.click("compared_undo")
    desk.until(lambda: not any(chat.archived for chat in desk.window.book.chats), "the other is back")
    desk.until(shows(desk, "haiku", "Done"), "as it was")
    desk.until(shows(desk, "Mine", "Done"), "and nothing is kept")

    press(desk, cards(desk)["haiku"], "compared_keep")
    desk.click("compared_keep_go")
    desk.until(shows(desk, "Mine", "Archived"), "the guest's lane goes")
    desk.until(lambda: [one.state for one in desk.window.book.lanes].count("archived") == 1, "its lane")
    desk.click("compared_undo")
    desk.until(shows(desk, "Mine", "Done"), "the guest's result is back")
    row = cards(desk)["Mine"].row
    assert row is not None
    press(desk, cards(desk)["Mine"], "compared_open")
    desk.until(lambda: desk.window.page.session_id == row.session_id, "its chat")
    desk.send("Is it?")
    desk.until(lambda: "It still is 43." in desk.transcript_text(), "the agent goes on in its lane")
    desk.idle()
