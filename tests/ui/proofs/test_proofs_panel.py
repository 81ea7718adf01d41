"""The Proofs tab: its states, tiles, viewer, comparison, and what a person sends from it."""

import io
from datetime import timedelta

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget

from desktop.domain.gate.pending import PictureReview
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import (
    CaptureLoaded,
    CaptureRequested,
    ComparisonLoaded,
    ProgramWindow,
    ProofCapturing,
    ProofContentLoaded,
    ProofsChanged,
    PublishedPicture,
    PublishPlanned,
    WindowCaptured,
    WindowsListed,
)
from desktop.domain.proofs.values import NOTICE_BYTES, Proof, ProofLink, ProofPair, ShownProof
from desktop.domain.updates import CommandFailed
from desktop.ui.models.keyed_rows import KEY_ROLE
from desktop.ui.proofs.model import ProofsModel, owners
from desktop.ui.proofs.panel import ProofsPanel
from desktop.ui.proofs.screen_capture import NO_DISPLAY, capture_done, grab_screen
from desktop.ui.window.windows import Windows
from tests.ui.card_scenes import NOW, Sink
from tests.ui.card_scenes import Scene as CardScene
from tests.ui.review_place import LANE, Place


def png(width=60, height=40, colour=(200, 30, 30)):
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


def shown(number=1, *, stale="", missing=False, links=(), **fields):
    values = {
        "id": f"pf_{number}", "project_id": "p", "kind": "screenshot", "title": f"Page {number}", "size": 2048,
        "mime_type": "image/png", "sha256": f"{number:02d}" * 32, "captured_at": NOW - timedelta(minutes=number),
        "ingested_at": NOW, "backend": "page", "lane_id": LANE, "head": "c" * 40, "tree_id": "t", "width": 60,
        "height": 40,
    }  # fmt: skip
    return ShownProof(proof=Proof.model_validate({**values, **fields}), stale=stale, missing=missing, links=links)


class ProofPlace(Place):
    """A person at the Proofs tab."""

    def __init__(self, qtbot):
        super().__init__(qtbot)
        self.inspector.show_tab("Proofs")
        self.proofs = self.inspector.of(ProofsPanel)
        qtbot.waitUntil(lambda: bool(self.sent(c.LoadProofs)))

    def listed(self, *proofs, **fields):
        asked = self.sent(c.LoadProofs)[-1]
        self.apply(ProofsChanged(lane_id=LANE, proofs=proofs, command_id=asked.command_id, as_of=NOW, **fields))

    def thumbs(self):
        for command in self.sent(c.LoadProofContent):
            if command.form == "thumb":
                self.apply(ProofContentLoaded(proof_id=command.proof_id, form="thumb", data=png()))

    def tiles(self):
        return [self.proofs.model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
                for row in range(len(self.proofs.model.rows))]  # fmt: skip

    def visible(self, name):
        found = self.get(name)
        return found.isVisible()


@pytest.fixture
def place(qtbot):
    return ProofPlace(qtbot)


def test_each_state_says_what_it_is(place):
    place.listed()
    assert "No proofs yet." in place.words()
    assert "The agent adds screenshots here; you can drop pictures too." in place.words()
    place.listed(page_problem="no browser that works without a window was found")
    assert "Cannot take screenshots: no browser that works without a window was found." in place.words()
    place.apply(ProofCapturing(lane_id=LANE, title="Login\u202e page"))
    assert "\u202e" not in place.get("proofs_capturing").text()
    assert any(words.startswith("Capturing Login") for words in place.words())
    assert not place.visible("proofs_capturing"), "it stands where the proofs will"
    assert "No proofs yet." not in place.words()
    assert "Cannot take" not in place.words()
    place.listed(shown(1))
    assert place.visible("proofs_capturing")
    place.apply(ProofCapturing(lane_id=LANE))
    assert not place.visible("proofs_capturing")
    place.listed()
    place.proofs.load()
    asked = place.sent(c.LoadProofs)[-1]
    place.apply(CommandFailed(command_id=asked.command_id, code="failed", text="The lane cannot be read."))
    assert "The lane cannot be read." in place.words()
    QTest.mouseClick(place.get("proofs_again"), Qt.MouseButton.LeftButton)
    assert place.sent(c.LoadProofs)[-1] is not asked


def test_tiles_tell_time_commit_state_and_marks_two_to_a_row(place, qtbot):
    place.listed(
        shown(1, stale="commit"), shown(2, missing=True, review="accepted"),
        shown(3, cannot_show="it cannot be decoded"),
        shown(4, kind="test_results", mime_type="text/plain", title="Suite\u202e", review="needs_more", dirty=True),
    )  # fmt: skip
    place.thumbs()
    first, second, third, fourth = place.tiles()
    assert first.startswith("Page 1, ")
    assert "ccccccc, not reviewed, Commit has moved on" in first
    assert "accepted, The picture file is gone; its record is kept." in second
    assert "Cannot be shown: it cannot be decoded" in third
    assert "needs more" in fourth
    assert "Test results" in fourth
    assert "ccccccc+" in fourth
    assert "\u202e" not in fourth
    assert place.proofs.model.index(0, 0).data(KEY_ROLE) == "proof:pf_1"
    assert place.get("inspector_tabs").tabText(2) == "Proofs 2", "what nobody looked at is counted"
    assert place.get("proofs_figure").full_text == "4 proofs · 2 to review"
    grid = place.get("proofs_grid")
    tops = lambda: [grid.visualRect(place.proofs.model.index(row, 0)).top() for row in (0, 1, 2)]  # noqa: E731
    for width in (300, 331, 360, 421):
        place.inspector.resize(width, 300)
        qtbot.waitUntil(lambda: tops()[0] == tops()[1] < tops()[2])
    place.get("proofs_filter").choose("state", "accepted")
    assert len(place.tiles()) == 1
    place.get("proofs_filter").choose("kind", "video_recording")
    assert "No proof is of this kind." in place.words()
    QTest.mouseClick(place.get("proofs_show_all"), Qt.MouseButton.LeftButton)
    assert len(place.tiles()) == 4
    place.get("proofs_filter").choose("which", "pull")
    place.listed(
        shown(5, links=(ProofLink(owner="pull_request", owner_id="o/r#1", relation="published_to"),)), shown(6)
    )
    assert len(place.tiles()) == 1


def test_files_and_pictures_are_dropped_and_pasted(place, tmp_path):
    place.listed()
    file = tmp_path / "shot.png"
    file.write_bytes(png())
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    place.proofs.dropEvent(event)
    sent = place.sent(c.AddProof)[-1]
    assert (sent.path, sent.lane_id, sent.session_id, sent.name) == (str(file), LANE, place.session, "shot.png")
    noted = []
    place.proofs.noted.connect(lambda text, error: noted.append((text, error)))
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    QApplication.clipboard().setImage(image)
    place.proofs.grid.paste()
    again = place.sent(c.AddProof)[-1]
    assert Image.open(io.BytesIO(again.data)).size == (30, 20)
    place.apply(CommandFailed(command_id=again.command_id, code="bad_proof", text="The file is empty."))
    assert noted == [("The file is empty.", True)]


def test_the_viewer_shows_says_and_sends(place, qtbot):
    pair = ProofPair(before_id="pf_2", changed=10, hundredths=125)
    place.listed(
        shown(1, pair=pair, console=("error: x\u202e",)),
        shown(2),
        shown(3, kind="console_logs", mime_type="text/plain"),
    )
    place.thumbs()
    grid = place.get("proofs_grid")
    grid.setFocus()
    grid.setCurrentIndex(place.proofs.model.index(0, 0))
    QTest.keyClick(grid, Qt.Key.Key_Return)
    viewer = place.get("proof_viewer")
    asked = place.sent(c.LoadProofContent)[-1]
    assert (asked.proof_id, asked.form) == ("pf_1", "picture")
    place.apply(ProofContentLoaded(proof_id="pf_1", form="picture", data=png(100, 80), command_id=asked.command_id))
    view = viewer.picture
    assert view.share == 1.0
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert view.share == 1.25
    QTest.mouseClick(place.get("proof_actual"), Qt.MouseButton.LeftButton)
    assert view.share == 1.0
    facts = place.get("proof_details").toPlainText()
    assert "1.25 % of the pixels differ" in facts
    assert "01" * 32 in facts
    assert "\u202e" not in facts
    QTest.mouseClick(place.get("proof_needs_more"), Qt.MouseButton.LeftButton)
    note = place.get("proof_note")
    assert isinstance(note, QPlainTextEdit)
    note.setPlainText("Show the error too")
    QTest.mouseClick(place.get("proof_note_send"), Qt.MouseButton.LeftButton)
    sent = place.sent(c.ReviewProof)[-1]
    assert (sent.state, sent.note) == ("needs_more", "Show the error too")
    place.apply(CommandFailed(command_id=sent.command_id, code="archived", text="This chat is archived."))
    assert place.get("proof_problem").text() == "This chat is archived."
    QTest.mouseClick(place.get("proof_accept"), Qt.MouseButton.LeftButton)
    assert place.sent(c.ReviewProof)[-1].state == "accepted"
    QTest.keyClick(viewer, Qt.Key.Key_Right)
    QTest.keyClick(viewer, Qt.Key.Key_Right)
    assert place.get("proof_place").text() == "3 of 3"
    asked = place.sent(c.LoadProofContent)[-1]
    place.apply(ProofContentLoaded(proof_id="pf_3", form="text", text="a secret \u202e line\nsecond", secrets=("Key",),
                                   command_id=asked.command_id))  # fmt: skip
    assert "\u202e" not in place.get("proof_text").toPlainText()
    assert place.get("proof_masked").text() == "Hidden in this view: Key."
    QTest.keyClicks(place.get("proof_find"), "second")
    QTest.keyClick(place.get("proof_find"), Qt.Key.Key_Return)
    assert place.get("proof_text").textCursor().selectedText() == "second"
    viewer.reject()


def test_two_pictures_are_compared_in_four_ways(place, qtbot):
    place.listed(shown(1, pair=ProofPair(before_id="pf_3", changed=1, hundredths=1)), shown(2), shown(3))
    viewer = place.proofs.open_viewer("pf_1")
    dialog = viewer.compare()
    asked = place.sent(c.CompareProofs)[-1]
    assert (asked.before_id, asked.after_id, asked.threshold) == ("pf_3", "pf_1", 8)
    for proof_id, colour in (("pf_3", (0, 0, 0)), ("pf_1", (255, 255, 255))):
        place.apply(ProofContentLoaded(proof_id=proof_id, form="picture", data=png(200, 100, colour)))
    place.apply(
        ComparisonLoaded(
            before_id="pf_3", after_id="pf_1", threshold=8, changed=20_000, total=20_000, hundredths=10_000,
            regions=((0, 0, 200, 100),), region_count=1, size_note="The size changed from 1×1 to 2×2.",
            data=png(200, 100), command_id=asked.command_id,
        )
    )  # fmt: skip
    assert dialog.said.startswith("100.00 % · 20,000 of 20,000 pixels differ · 1 region")
    assert "The size changed" in dialog.said
    QTest.mouseClick(place.get("proof_compare_mode_overlay"), Qt.MouseButton.LeftButton)
    slider = place.get("proof_overlay")
    canvas = dialog.canvas
    slider.setValue(100)
    middle = QPoint(canvas.width() // 2, 60)
    assert canvas.grab().toImage().pixelColor(middle).lightness() < 100, "the older one covers all"
    slider.setValue(0)
    assert canvas.grab().toImage().pixelColor(middle).lightness() > 200
    QTest.mouseClick(place.get("proof_compare_mode_blink"), Qt.MouseButton.LeftButton)
    canvas.set_blinking(False)
    assert canvas.after_shown
    QTest.mouseClick(place.get("proof_blink_turn"), Qt.MouseButton.LeftButton)
    assert not canvas.after_shown
    QTest.mouseClick(place.get("proof_compare_mode_difference"), Qt.MouseButton.LeftButton)
    place.get("proof_threshold").setValue(0)
    qtbot.waitUntil(lambda: place.sent(c.CompareProofs)[-1].threshold == 0)
    dialog.reject()
    viewer.reject()


def test_what_would_be_posted_is_shown_before_it_is(place):
    place.listed(shown(1), shown(2))
    place.proofs.grid.setCurrentIndex(place.proofs.model.index(1, 0))
    QTest.mouseClick(place.get("proof_publish"), Qt.MouseButton.LeftButton)
    asked = place.sent(c.PlanPublish)[-1]
    assert asked.proof_ids == ("pf_2",)
    plan = PublishPlanned(
        command_id=asked.command_id, lane_id=LANE, proof_ids=asked.proof_ids, request="octo/shop#42",
        url="https://github.com/octo/shop/pull/42", text="| Page 2 |", digest="d" * 64, private=False,
    )  # fmt: skip
    place.apply(plan)
    dialog = place.get("proof_publish_dialog")
    assert "A public repository: everybody can read this." in place.get("proof_publish_where").text()
    assert place.get("proof_publish_text").toPlainText() == "| Page 2 |"
    assert any("Attach 1 proof to octo/shop#42?" in label.text() for label in dialog.findChildren(QLabel))
    QTest.mouseClick(place.get("proof_publish_post"), Qt.MouseButton.LeftButton)
    sent = place.sent(c.PublishProofs)[-1]
    assert (sent.proof_ids, sent.digest, sent.pictures) == (("pf_2",), "d" * 64, False)


def test_pictures_are_pushed_only_when_ticked_and_each_is_shown_as_it_would_be(place):
    place.listed(shown(1), shown(2, kind="console_logs", mime_type="text/plain", title="Log"))
    place.proofs.grid.selectAll()
    place.proofs.publish()
    asked = place.sent(c.PlanPublish)[-1]
    assert asked.pictures is None
    plan = PublishPlanned(
        command_id=asked.command_id, lane_id=LANE, proof_ids=asked.proof_ids, request="octo/shop#42",
        url="https://github.com/octo/shop/pull/42", text="words", digest="d" * 64, private=False,
        branch="banksman-proofs",
    )  # fmt: skip
    place.apply(plan)
    tick = place.get("proof_publish_pictures")
    post, hint, text = (place.get(f"proof_publish_{name}") for name in ("post", "hint", "text"))
    assert tick.text() == "Show the pictures too: push them to the branch banksman-proofs of octo/shop"
    assert not tick.isChecked()
    assert "Pictures stay on this computer" in hint.text()
    tick.click()
    again = place.sent(c.PlanPublish)[-1]
    assert again.pictures is True
    assert not post.isEnabled(), "nothing is posted that is not shown"
    picture = PublishedPicture(proof_id="pf_1", path="pr-42/0101.png", size=1500, width=60, height=40)
    more = {"command_id": again.command_id, "text": "![](x)", "digest": "e" * 64, "with_pictures": True}
    place.apply(plan.model_copy(update={**more, "pictures": (picture,)}))
    rows = [place.get("proof_publish_list").item(row).text() for row in range(2)]
    assert any("pr-42/0101.png" in row and "60×40" in row for row in rows)
    assert any("Not pushed" in row for row in rows)
    assert (text.toPlainText(), tick.isChecked()) == ("![](x)", True)
    tick.click()
    failed = place.sent(c.PlanPublish)[-1]
    place.apply(CommandFailed(command_id=failed.command_id, code="offline", text="GitHub cannot be reached."))
    assert (hint.text(), tick.isChecked()) == ("GitHub cannot be reached.", True)
    post.click()
    sent = place.sent(c.PublishProofs)[-1]
    assert (sent.digest, sent.pictures) == ("e" * 64, True)


def test_a_project_whose_proofs_take_two_gibibytes_says_so(place):
    strip = place.get("proofs_problem")
    place.listed(shown(1), project_bytes=NOTICE_BYTES - 1)
    assert strip.isHidden()
    place.proofs.load()
    place.listed(shown(1), project_bytes=NOTICE_BYTES)
    assert not strip.isHidden()
    assert any("The proofs of this project take 2.1 GB." in label.text() for label in strip.findChildren(QLabel))
    place.proofs.load()
    place.listed(shown(1), project_bytes=NOTICE_BYTES, page_problem="no browser")
    words = " ".join(label.text() for label in strip.findChildren(QLabel))
    assert "Cannot take screenshots: no browser. The proofs" in words


def test_a_page_is_captured_by_a_person(place):
    place.listed()
    place.proofs.captures.page()
    url = place.get("proof_page_url")
    url.setText("page.html")
    place.get("proof_page_width").setText("12")
    assert not place.get("proof_page_take").isEnabled(), "a page is at least 320 pixels wide"
    place.get("proof_page_width").setText("640")
    QTest.mouseClick(place.get("proof_page_take"), Qt.MouseButton.LeftButton)
    sent = place.sent(c.CaptureProof)[-1]
    assert (sent.url, sent.width, sent.height, sent.theme) == ("page.html", 640, 800, "light")


def test_a_window_is_chosen_seen_and_kept(place):
    place.listed()
    place.proofs.captures.window()
    asked = place.sent(c.ListWindows)[-1]
    fields = {"program": "shop, pid 7", "width": 60, "height": 40}
    bank = ProgramWindow(window_id=5, title="Bank\u202e", lane_id="", **fields)
    own = ProgramWindow(window_id=6, title="Shop", lane_id=LANE, **fields)
    place.apply(WindowsListed(command_id="of another window", windows=(bank,)))
    assert place.inspector.window().findChild(QWidget, "proof_windows_dialog") is None
    place.apply(WindowsListed(command_id=asked.command_id, windows=(bank, own)))
    rows = place.get("proof_windows_list")
    words = [rows.item(row).text() for row in range(rows.count())]
    assert words[1] == "Shop  ·  shop, pid 7  ·  60×40  ·  this lane"
    assert "\u202e" not in words[0]
    assert rows.currentRow() == 1, "the lane's own first"
    QTest.mouseClick(place.get("proof_windows_take"), Qt.MouseButton.LeftButton)
    wanted = place.sent(c.CaptureWindow)[-1]
    assert wanted.window_id == 6
    place.apply(WindowCaptured(command_id=wanted.command_id, title="Shop", data=png(), alone=False))
    assert place.get("proof_screen_hint").text().startswith("Other windows lie over it")
    assert place.get("proof_screen_title").text() == "Shop"
    QTest.mouseClick(place.get("proof_screen_keep"), Qt.MouseButton.LeftButton)
    kept = place.sent(c.AddProof)[-1]
    assert (kept.backend, kept.title, kept.data, kept.lane_id) == ("window", "Shop", png(), LANE)


def test_where_windows_cannot_be_told_apart_the_way_out_is_said(place):
    place.listed()
    noted = []
    place.proofs.noted.connect(lambda text, error: noted.append(text))
    place.proofs.captures.window()
    asked = place.sent(c.ListWindows)[-1]
    place.apply(WindowsListed(command_id=asked.command_id, problem="there is no X display"))
    assert noted == ["Cannot capture a window: there is no X display. Capture the screen and crop it."]


def test_without_a_display_nothing_is_taken(place):
    assert grab_screen().problem == NO_DISPLAY
    done = capture_done("cap_1")
    assert (done.request_id, done.data, done.problem) == ("cap_1", b"", NO_DISPLAY)
    noted = []
    place.proofs.noted.connect(lambda text, error: noted.append(text))
    place.proofs.captures.screen()
    assert noted == ["Cannot take screenshots: there is no display."]


def test_the_windows_answer_the_engine_once(qtbot, tmp_path):
    sink = Sink()
    windows = Windows(sink, lambda: NOW, QSettings(str(tmp_path / "ui.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(windows.first)
    windows.open()
    qtbot.addWidget(windows.all()[-1])
    windows.apply_updates([CaptureRequested(request_id="cap_1", target="desktop")])
    done = [one for one in sink.sent if isinstance(one, c.CaptureDone)]
    assert [(one.request_id, one.problem) for one in done] == [("cap_1", NO_DISPLAY)]


def test_a_picture_is_sent_only_as_a_person_left_it(qtbot, tmp_path):
    scene = CardScene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitExposed(scene.window):
        scene.window.show()
    request = PictureReview(call_id="call", target="desktop", title="All", width=400, height=200)
    scene.ask(request)
    card = scene.get("picture_card")
    qtbot.waitUntil(lambda: any(isinstance(one, c.LoadCapture) for one in scene.sink.sent))
    assert not scene.get("picture_send").isEnabled(), "nothing is sent that was not seen"
    asked = next(one for one in scene.sink.sent if isinstance(one, c.LoadCapture))
    scene.hear([CaptureLoaded(call_id="call", input_id=asked.input_id, data=png(400, 200))])
    scene.seconds.pass_ms(600)
    view = scene.get("picture_view")
    QTest.mouseClick(scene.get("picture_blank"), Qt.MouseButton.LeftButton)
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.blanks == ((108, 50, 200, 100),)
    QTest.mouseClick(scene.get("picture_crop"), Qt.MouseButton.LeftButton)
    place = view.place()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=place.topLeft())
    QTest.mouseMove(view, place.center())
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=place.center())
    assert view.crop is not None
    assert view.crop[:2] == (0, 0)
    assert "this part" in scene.get("picture_rest").text()
    scene.seconds.pass_ms(600)
    QTest.mouseClick(scene.get("picture_send"), Qt.MouseButton.LeftButton)
    answer = scene.sink.answers[-1].answer
    assert (answer.outcome, answer.crop, answer.blanks) == ("allow_once", view.crop, view.blanks)
    assert isinstance(card, QWidget)


@pytest.mark.promise("lanes-F12")
def test_owners_are_named_and_a_text_says_what_it_is(qtbot):
    links = (
        ProofLink(owner="session", owner_id="ses_1", relation="produced_by"),
        ProofLink(owner="pull_request", owner_id="o/r#1", relation="published_to"),
    )
    log = shown(1, links=links, kind="console_logs", mime_type="text/plain")
    log = log.model_copy(update={"names": (("ses_1", "Fix\u202e login"),)})
    said = [(one.words, one.is_reached) for one in owners(log)]
    assert said == [("Chat “Fix⟦U+202E⟧ login”", True), ("Pull request o/r#1", False)]
    model = ProofsModel()
    model.set_proofs((log, shown(2)))
    assert [tile.kind for tile in model.rows] == ["Console log", ""]
    assert "Console log" in model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
