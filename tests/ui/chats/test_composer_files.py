"""Files that go with a message: pasted, dropped, kept in the draft, refused, and what comes back."""

from PySide6.QtCore import QBuffer, QByteArray, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.config.settings import ANTHROPIC_ENDPOINT, Settings
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.chats.updates import AttachmentLoaded, AttachmentReady
from desktop.domain.core.work import Activity
from desktop.domain.events import TurnStarted, UserMessage
from desktop.domain.updates import CommandFailed
from desktop.ui.chats.composer.attachment_strip import AttachmentChip
from desktop.ui.chats.composer.attachments import LOADING, NO_IMAGES, TOO_LARGE, TOO_MANY
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IDLE, IN_LANE, LANE, find, make_window, started

__all__ = ["place"]


def files(*paths: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def paste(place: Place, data: QMimeData) -> None:
    place.window.page.composer.text.insertFromMimeData(data)


def asked(place: Place):
    return [command for command in place.sink.sent if command.type == "add_attachment"]


def ready(place: Place, number: int = -1, **fields) -> None:
    command = asked(place)[number]
    name = command.name or command.path.rpartition("/")[2]
    known = {"logical_name": name, "sha256": f"{abs(hash(name)):064x}"[:64], "size_bytes": 1200, **fields}
    place.window.apply_updates([AttachmentReady(request_id=command.request_id, **known)])


def chips(place: Place) -> list[str]:
    shown = [chip for chip in place.window.findChildren(AttachmentChip) if chip.isVisible()]
    return [chip.accessibleName() for chip in shown]


def error(place: Place) -> str:
    label = find(place.window, "composer_error", QLabel)
    assert isinstance(label, QLabel)
    return label.text()


def last(place: Place, kind: str):
    return next(command for command in reversed(place.sink.sent) if command.type == kind)


def test_a_file_of_the_lane_is_named_and_a_copy_of_others_attached(place):
    place.window.open_chat(IN_LANE.session_id)
    root = LANE.worktree_path
    paste(place, files(f"{root}/docs/a b.md", "/srv/notes.txt", f"{root}/src"))
    assert place.field.toPlainText() == '@"docs/a b.md" @src '
    assert [command.path for command in asked(place)] == ["/srv/notes.txt"]


def test_pictures_of_a_message_are_small_in_its_row_and_whole_at_a_click(place, qtbot):
    image = QImage(40, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    added = AttachmentAdded(
        logical_name="shot.png",
        stored_file_name="x.png",
        sha256="a" * 64,
        mime_type="image/png",
        size_bytes=90,
        width_px=40,
        height_px=20,
    )
    place.show(added, UserMessage(parts=({"type": "text", "text": "look"},), attachments=("shot.png",)))
    view = place.window.page.transcript
    row = next(row for row in view.model.rows if row.kind == "user")
    qtbot.waitUntil(lambda: bool([one for one in place.sink.sent if one.type == "load_attachment"]))
    small = last(place, "load_attachment")
    assert (small.sha256, small.max_px) == ("a" * 64, 320)
    place.window.apply_updates([AttachmentLoaded(sha256="a" * 64, mime_type="image/png", data=data.data())])
    assert view.target(row.key, "picture_open") is not None
    assert view.activate(row.key, "picture_open")
    assert last(place, "load_attachment").max_px == 1600
    place.window.apply_updates([AttachmentLoaded(sha256="a" * 64, mime_type="image/png", data=data.data())])
    assert place.sees("attachment_dialog")
    view.activate(row.key, "picture_open")
    place.window.apply_updates([AttachmentLoaded(sha256="a" * 64, mime_type="", data=b"")])


def test_a_pasted_file_is_read_shown_and_sent(place, qtbot):
    place.show()
    paste(place, files("/srv/notes.txt"))
    assert asked(place)[0].path == "/srv/notes.txt"
    assert asked(place)[0].session_id == IDLE.session_id
    assert chips(place) == ["notes.txt, Reading…"]
    qtbot.keyClicks(place.field, "look at this")
    assert (place.button("composer_send").isEnabled(), place.button("composer_send").toolTip()) == (False, LOADING)
    ready(place)
    assert chips(place) == ["notes.txt, 1.2 KB"]
    qtbot.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    sent = last(place, "send_message")
    assert (sent.text, sent.attachments) == ("look at this", ("notes.txt",))
    assert chips(place) == []
    said = UserMessage(
        parts=({"type": "text", "text": "look at this"}, {"type": "text", "text": "Attached files, …"}),
        attachments=("notes.txt",),
    )
    place.happens(said)
    assert place.window.page.commands.on_the_way(IDLE.session_id) is None
    place.window.new_chat()
    place.window.open_chat(IDLE.session_id)
    assert (chips(place), place.field.toPlainText()) == ([], "")


def test_files_alone_are_a_message(place, qtbot):
    place.show(TurnStarted(turn_id="trn_1"))
    place.does(Activity.RUNNING)
    paste(place, files("/srv/notes.txt"))
    ready(place)
    qtbot.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    assert (last(place, "send_message").text, last(place, "send_message").attachments) == ("", ("notes.txt",))
    place.happens(MessageQueued(queue_id="que_1", parts=(), attachments=("notes.txt",)))
    assert place.window.page.commands.on_the_way(IDLE.session_id) is None
    assert place.window.page.area.queue.chips[0].accessibleName() == "Queued · 1 file"


def test_a_refused_message_comes_back_with_its_files(place, qtbot):
    place.show()
    paste(place, files("/srv/notes.txt"))
    ready(place)
    qtbot.keyClicks(place.field, "look")
    qtbot.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    paste(place, files("/srv/more.txt"))
    ready(place)
    failed = CommandFailed(command_id=last(place, "send_message").command_id, code="x", text="Not now.")
    place.window.apply_updates([failed])
    assert chips(place) == ["notes.txt, 1.2 KB", "more.txt, 1.2 KB"]
    assert (place.field.toPlainText(), error(place)) == ("look", "Not now.")


def test_a_new_chat_takes_its_files_along_and_gets_them_back_when_it_is_refused(place, qtbot):
    paste(place, files("/srv/notes.txt"))
    assert asked(place)[0].session_id == ""
    ready(place)
    qtbot.keyClicks(place.field, "begin")
    qtbot.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    started_chat = last(place, "new_session")
    assert started_chat.attachments == ("notes.txt",)
    assert chips(place) == []
    place.window.apply_updates([CommandFailed(command_id=started_chat.command_id, code="lane", text="No.")])
    assert place.window.page.session_id == ""
    assert (chips(place), place.field.toPlainText(), error(place)) == (["notes.txt, 1.2 KB"], "begin", "No.")


def test_files_stay_with_their_chat_and_survive_a_restart(place, qtbot, tmp_path):
    place.show()
    paste(place, files("/srv/notes.txt"))
    ready(place)
    place.window.open_chat(IN_LANE.session_id)
    assert chips(place) == []
    place.window.close()
    again = make_window(tmp_path, place.sink)
    qtbot.addWidget(again)
    again.show()
    again.apply_updates(started(IDLE, IN_LANE))
    again.open_chat(IDLE.session_id)
    assert chips(Place(again, place.sink)) == ["notes.txt, 1.2 KB"]


def test_what_cannot_be_attached_is_refused_by_a_sentence(place):
    place.show()
    paste(place, files("/srv/video.mp4"))
    ready(place, problem="video.mp4 is 48 MB; the limit is 10 MB.")
    assert (chips(place), error(place)) == ([], "video.mp4 is 48 MB; the limit is 10 MB.")


def test_a_file_that_the_engine_does_not_take_blocks_nothing(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "hello")
    paste(place, files("/srv/notes.txt"))
    failed = CommandFailed(command_id=asked(place)[0].command_id, code="read_only", text="This chat is only read.")
    place.window.apply_updates([failed])
    assert (chips(place), error(place)) == ([], "This chat is only read.")
    assert place.button("composer_send").isEnabled()


def test_the_same_content_twice_is_there_once(place):
    place.show()
    paste(place, files("/srv/notes.txt", "/tmp/copy.txt"))
    ready(place, 0)
    ready(place, 1, logical_name="notes.txt", sha256=f"{abs(hash('notes.txt')):064x}"[:64])
    assert chips(place) == ["notes.txt, 1.2 KB"]


def test_at_most_ten_files_and_25_megabytes_go_with_one_message(place):
    place.show()
    paste(place, files(*(f"/srv/{n}.txt" for n in range(11))))
    assert len(asked(place)) == 10
    assert error(place) == TOO_MANY
    for number in range(3):
        ready(place, number, size_bytes=9_500_000)
    assert error(place) == TOO_LARGE
    assert len(chips(place)) == 9


def test_a_file_that_looks_like_secrets_asks_first(place, qtbot):
    place.show()
    paste(place, files("/srv/.env"))
    ready(place, looks_secret=True)
    assert chips(place) == []
    dialog = find(place.window, "secret_file_dialog")
    assert dialog.isVisible()
    qtbot.mouseClick(find(dialog, "secret_file_attach"), Qt.MouseButton.LeftButton)
    assert (asked(place)[-1].path, asked(place)[-1].secret_accepted) == ("/srv/.env", True)
    ready(place)
    assert chips(place) == [".env, 1.2 KB"]


def test_leaving_a_secret_file_out_attaches_nothing(place, qtbot):
    place.show()
    paste(place, files("/srv/.env"))
    ready(place, looks_secret=True)
    qtbot.mouseClick(find(place.window, "secret_file_leave"), Qt.MouseButton.LeftButton)
    assert (chips(place), len(asked(place))) == ([], 1)


def test_a_picture_from_the_clipboard_is_attached_and_shown_small(place, qtbot):
    place.show()
    image = QImage(40, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    data = QMimeData()
    data.setImageData(image)
    paste(place, data)
    command = asked(place)[0]
    assert command.name == "Pasted picture.png"
    assert command.data.startswith(b"\x89PNG")
    ready(place, width_px=40, height_px=20, sha256="a" * 64)
    load = last(place, "load_attachment")
    assert (load.sha256, load.max_px) == ("a" * 64, 128)
    before = len(place.sink.sent)
    place.window.apply_updates([AttachmentLoaded(sha256="a" * 64, mime_type="image/png", data=command.data)])
    chip = next(chip for chip in place.window.findChildren(AttachmentChip) if chip.isVisible())
    small = place.button("composer_attachment_open")
    assert small.icon().pixmap(60, 60).toImage().pixelColor(5, 5) == QColor("red")
    assert (small.width(), len(place.sink.sent), chip.accessibleName()) == (64, before, "Pasted picture.png, 1.2 KB")
    qtbot.mouseClick(small, Qt.MouseButton.LeftButton)
    assert (place.sink.last().type, place.sink.last().max_px) == ("load_attachment", 1600)
    place.window.apply_updates([AttachmentLoaded(sha256="a" * 64, mime_type="image/png", data=command.data)])
    whole = find(place.window, "attachment_picture", QLabel)
    assert isinstance(whole, QLabel)
    assert (whole.pixmap().width(), whole.accessibleName()) == (40, "Pasted picture.png")
    qtbot.mouseClick(place.button("attachment_close"), Qt.MouseButton.LeftButton)


def test_png_bytes_of_another_program_are_taken_as_they_are(place):
    place.show()
    data = QMimeData()
    data.setData("image/png", QByteArray(b"\x89PNG made elsewhere"))
    paste(place, data)
    assert asked(place)[0].data == b"\x89PNG made elsewhere"


def test_a_model_without_images_refuses_pictures(place):
    blind = ANTHROPIC_ENDPOINT.model_copy(update={"label": "A", "default_model": "opus", "images": "off"})
    settings = Settings(endpoints=(blind,), default_endpoint="anthropic")
    place.window.apply_updates(started(IDLE, IN_LANE, settings=settings))
    place.show()
    paste(place, files("/srv/page.png"))
    ready(place, width_px=40, height_px=20)
    assert (chips(place), error(place)) == ([], NO_IMAGES)


def test_a_very_long_paste_becomes_a_file_that_can_be_put_in_the_message(place, qtbot):
    place.show()
    data = QMimeData()
    data.setText("x" * 24_000)
    paste(place, data)
    assert asked(place)[0].name == "Pasted text (24k characters).txt"
    assert place.field.toPlainText() == ""
    ready(place)
    qtbot.mouseClick(place.button("composer_attachment_put_in"), Qt.MouseButton.LeftButton)
    assert (len(place.field.toPlainText()), chips(place)) == (24_000, [])


def test_an_ordinary_paste_stays_text(place):
    place.show()
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    data.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    paste(place, data)
    assert (place.field.toPlainText(), asked(place)) == ("bold", [])


def test_files_dragged_over_the_window_find_a_target_over_the_composer(place, qtbot):
    place.show()
    qtbot.waitUntil(lambda: not place.sees("composer_place") and place.window.page.composer.y() == 0)
    data, at = files("/srv/notes.txt"), QPoint(600, 300)
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(place.window, enter)
    assert enter.isAccepted()
    target = find(place.window, "composer_drop_target")
    assert target.isVisible()
    move = QDragMoveEvent(at, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none)
    composer = place.window.page.composer

    def covered():
        QApplication.sendEvent(place.window, move)
        return target.geometry() == composer.geometry()

    qtbot.waitUntil(covered)
    drop = QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(place.window, drop)
    assert asked(place)[0].path == "/srv/notes.txt"
    assert not target.isVisible()


def test_a_file_is_taken_out_again(place, qtbot):
    place.show()
    paste(place, files("/srv/notes.txt", "/srv/more.txt"))
    ready(place, 0)
    qtbot.mouseClick(place.button("composer_attachment_remove"), Qt.MouseButton.LeftButton)
    assert chips(place) == ["more.txt, Reading…"]
    ready(place, 1)
    assert chips(place) == ["more.txt, 1.2 KB"]


def test_the_button_opens_a_dialog_for_files(place, qtbot):
    place.show()
    qtbot.mouseClick(place.button("composer_attach"), Qt.MouseButton.LeftButton)
    dialog = find(place.window, "attach_dialog", QWidget)
    assert dialog.isVisible()
    dialog.close()
