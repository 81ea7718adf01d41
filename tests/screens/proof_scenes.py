"""Scenes of proofs: the grid in its states, one picture large, comparing two, a text, a page to capture, the card."""

import random
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import QBuffer, QRect, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from desktop.domain.core.work import WaitingInput
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.gate.pending import PictureReview
from desktop.domain.proofs.block import ProofRow, proof_block
from desktop.domain.proofs.commands import AddProof, CaptureProof, ReviewProof
from desktop.domain.proofs.updates import (
    CaptureLoaded,
    ProgramWindow,
    ProofAdded,
    ProofCapturing,
    ProofsChanged,
    PublishedPicture,
    PublishPlanned,
)
from desktop.domain.updates import SessionsChanged
from desktop.ui.proofs.dialogs.compare import CompareDialog
from desktop.ui.proofs.dialogs.publish import PublishDialog
from desktop.ui.proofs.dialogs.viewer import ProofViewer
from desktop.ui.proofs.dialogs.windows import WindowsDialog
from desktop.ui.proofs.panel import ProofsPanel
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.pr_scenes import Forge
from tests.screens.samples import TASK as FIX
from tests.screens.stage import Stage

TASK = "Stop the login page redirecting to itself"
LOG = "collected 120 items\n" + "\n".join(f"tests/test_auth.py::test_{n} PASSED" for n in range(40)) + "\n120 passed\n"


def _page(button: str, colour: str, *, size: tuple[int, int] = (1280, 800), noisy: bool = False) -> bytes:
    """A picture of a login page; one that is `noisy` takes more than a megabyte."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor("#F5F6F8"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(0, 0, size[0], 64, QColor("#1B3A5C"))
    painter.setPen(QColor("white"))
    painter.setFont(QFont("", 20))
    painter.drawText(32, 44, "Shop")
    painter.setPen(QColor("#333"))
    painter.drawText(QRect(440, 180, 400, 60), int(Qt.AlignmentFlag.AlignCenter), "Sign in")
    for top, words in ((260, "E-mail"), (340, "Password")):
        painter.setBrush(QColor("white"))
        painter.drawRoundedRect(440, top, 400, 52, 6, 6)
        painter.drawText(456, top + 36, words)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(440, 430, 400, 56, 6, 6)
    painter.setPen(QColor("white"))
    painter.drawText(QRect(440, 430, 400, 56), int(Qt.AlignmentFlag.AlignCenter), button)
    if noisy:
        grain = random.Random(7).randbytes(800 * 600 * 4)
        painter.drawImage(0, 100, QImage(grain, 800, 600, QImage.Format.Format_RGB32))
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


async def _proofs(stage: Stage) -> tuple[str, ProofsPanel]:
    """A chat that attached pictures and a log; its tab."""
    wanted = [
        {"path": "login-before.png", "title": "Login page"}, {"path": "run.log", "title": "Test run"},
        {"path": "broken.png", "title": "Phone"}, {"path": "login.png", "title": "Login page"},
    ]  # fmt: skip
    calls = [tool_turn("attach_proof", **one) for one in wanted]
    chat = await stage.chat(TASK, text_turn("I look first."), *calls, text_turn("Done."), title="Fix login loop")
    await stage.ended(chat)
    lane_id = stage.window.book.facts(chat).lane_id
    lane = Path(next(lane for lane in stage.window.book.lanes if lane.id == lane_id).worktree_path)
    before = _page("Sign in", "#7F8894")
    (lane / "login-before.png").write_bytes(before)
    (lane / "login.png").write_bytes(_page("Continue", "#0A5FC4"))
    (lane / "broken.png").write_bytes(before[:4000])
    (lane / "run.log").write_text(LOG)
    await stage.say(chat, "Show it")
    await stage.ended(chat, 2)
    inspector = stage.inspector
    await stage.show_tab("Proofs")
    await stage.until(lambda: len(inspector.of(ProofsPanel).model.rows) == len(wanted), "the proofs")
    await stage.until(lambda: not inspector.of(ProofsPanel).model.without_thumb(), "the thumbnails")
    return chat, inspector.of(ProofsPanel)


async def proofs_grid(stage: Stage) -> AsyncIterator[str]:
    """30"""
    chat, panel = await _proofs(stage)
    lane_id = stage.window.book.facts(chat).lane_id
    stage.clock.back(minutes=-9)
    data = _page("Continue", "#19703A", noisy=True)
    stage.send(AddProof(lane_id=lane_id, session_id=chat, data=data, name="mine.png", title="How I would like it"))
    await stage.until(lambda: any(isinstance(one, ProofAdded) for one in stage.updates), "the person's proof")
    await stage.until(lambda: len(panel.model.rows) == 5, "five proofs")
    by_title = {tile.title: tile.proof_id for tile in panel.model.rows}
    stage.send(ReviewProof(proof_id=by_title["Phone"], state="dismissed"))
    stage.send(ReviewProof(proof_id=by_title["Test run"], state="accepted"))
    stage.write_in_lane(chat, "auth/middleware.py", "changed = True\n")
    shutil.rmtree(stage.folders.store / "blobs")
    panel.load()
    await stage.until(lambda: any(tile.mark for tile in panel.model.rows), "the marks")
    await stage.rest(0.4)
    yield "30-proofs-grid"
    panel.filters.choose("kind", "browser_trace")
    yield "30-proofs-filtered"
    panel.filters.reset()
    told = next(one for one in reversed(stage.updates) if isinstance(one, ProofsChanged))
    panel.hearing.take([told.model_copy(update={"project_bytes": 2_400_000_000})])
    await stage.rest(0.3)
    yield "30-proofs-large"


async def proofs_viewer(stage: Stage) -> AsyncIterator[str]:
    """30"""
    _chat, panel = await _proofs(stage)
    viewer = panel.open_viewer(panel.model.rows[0].proof_id)
    assert isinstance(viewer, ProofViewer)
    await stage.until(lambda: not viewer.picture.picture.isNull(), "the picture")
    await stage.rest(0.3)
    yield "30-proofs-viewer"
    await stage.click("proof_needs_more")
    note = await stage.find("proof_note")
    assert isinstance(note, QPlainTextEdit)
    note.setPlainText("The error message is missing. Show the page with a wrong password too.")
    await stage.rest(0.3)
    yield "30-proofs-note"
    viewer.show_proof(next(tile.proof_id for tile in panel.model.rows if tile.title == "Test run"))
    await stage.until(lambda: stage.shown("proof_text") is not None, "the text")
    await stage.rest(0.3)
    yield "30-proofs-text"
    viewer.show_proof(next(tile.proof_id for tile in panel.model.rows if tile.title == "Phone"))
    await stage.rest(0.6)
    yield "30-proofs-broken"
    viewer.close()


async def proofs_compare(stage: Stage) -> AsyncIterator[str]:
    """30"""
    _chat, panel = await _proofs(stage)
    viewer = panel.open_viewer(panel.model.rows[0].proof_id)
    assert isinstance(viewer, ProofViewer)
    await stage.until(lambda: not viewer.picture.picture.isNull(), "the picture")
    dialog = viewer.compare()
    assert isinstance(dialog, CompareDialog)
    await stage.until(lambda: "%" in dialog.said, "the comparison")
    for mode in ("side", "overlay", "blink", "difference"):
        dialog.choose_mode(mode)
        dialog.canvas.set_blinking(False)
        await stage.rest(0.3)
        yield f"30-proofs-compare-{mode}"
    dialog.close()
    viewer.close()


async def proofs_publish(stage: Stage) -> AsyncIterator[str]:
    """30"""
    _chat, panel = await _proofs(stage)
    proofs = [tile.shown.proof for tile in panel.model.rows if tile.title == "Login page"]
    plan = PublishPlanned(
        command_id="cmd", lane_id=proofs[0].lane_id, proof_ids=tuple(proof.id for proof in proofs),
        request="robin/shop-api#214", url="https://github.com/robin/shop-api/pull/214", digest="d" * 64, private=False,
        text=proof_block([ProofRow(proof=proof) for proof in proofs]), branch="banksman-proofs",
    )  # fmt: skip
    dialog = PublishDialog(plan, panel.model, stage.window.lane_host.requests, stage.window)
    dialog.open()
    await stage.rest(0.4)
    yield "30-proofs-publish"
    dialog.close()
    files = {proof.id: f"pr-214/{proof.sha256[:12]}.png" for proof in proofs}
    root = "https://github.com/robin/shop-api/raw/banksman-proofs"
    rows = [ProofRow(proof=proof, url=f"{root}/{files[proof.id]}") for proof in proofs]
    pictures = tuple(
        PublishedPicture(proof_id=proof.id, path=files[proof.id], size=11_300, width=proof.width, height=proof.height)
        for proof in proofs
    )
    pushed = {"with_pictures": True, "pictures": pictures, "text": proof_block(rows)}
    dialog = PublishDialog(plan.model_copy(update=pushed), panel.model, stage.window.lane_host.requests, stage.window)
    dialog.open()
    await stage.rest(0.4)
    yield "30-proofs-publish-pictures"
    dialog.close()


async def proofs_by_agent(stage: Stage) -> AsyncIterator[str]:
    """30"""
    forge = Forge(stage)
    await forge.sign_in()
    lane = await forge.work()
    forge.open()
    await forge.shown(lambda snapshot: snapshot.pull is not None)
    chat = stage.window.page.session_id
    new = {"lane_id": lane.id, "session_id": chat}
    stage.send(AddProof(**new, data=_page("Continue", "#0A5FC4"), name="login.png", title="Login page"))
    stage.send(AddProof(**new, data=LOG.encode(), name="run.log", title="Test run"))
    added = lambda: [one.proof_id for one in stage.updates if isinstance(one, ProofAdded)]  # noqa: E731
    await stage.until(lambda: len(added()) == 2, "the proofs")
    stage.script(FIX, tool_turn("publish_proofs", proof_ids=added()), text_turn("The request shows them."))
    await stage.say(chat, "Show that it works in the request")
    await stage.find("approval_card")
    await stage.rest(0.6)
    yield "30-proofs-by-agent"
    forge.close()


async def proofs_states(stage: Stage) -> AsyncIterator[str]:
    """30"""
    chat = await stage.chat(TASK, text_turn("I look first."), title="Fix login loop")
    await stage.ended(chat)
    inspector = stage.inspector
    await stage.show_tab("Proofs")
    panel = inspector.of(ProofsPanel)
    await stage.until(lambda: panel.model.loaded, "the list")
    yield "30-proofs-none"
    lane_id = stage.window.book.facts(chat).lane_id
    panel.hearing.take([ProofCapturing(lane_id=lane_id, title="Login page")])
    yield "30-proofs-capturing"
    panel.hearing.take([ProofCapturing(lane_id=lane_id)])
    panel.captures.page()
    await stage.find("proof_page_dialog")
    await stage.rest(0.3)
    yield "30-proofs-page"
    await stage.click("proof_page_cancel")
    windows = [
        ProgramWindow(
            window_id=at, title=title, program=f"{title.lower()}, pid {4100 + at}", lane_id=of, width=w, height=h
        )
        for at, (title, of, w, h) in enumerate([("Mail", "", 1200, 800), ("Shop", lane_id, 640, 480)])
    ]
    WindowsDialog(windows, lane_id, stage.window).open()
    await stage.rest(0.3)
    yield "30-proofs-windows"
    await stage.click("proof_windows_cancel")


async def proofs_no_browser(stage: Stage) -> AsyncIterator[str]:
    """30"""
    chat = await stage.chat(TASK, text_turn("I look first."), title="Fix login loop")
    await stage.ended(chat)
    await stage.show_tab("Proofs")
    inspector = stage.inspector
    await stage.until(lambda: inspector.of(ProofsPanel).model.loaded, "the list")
    stage.send(CaptureProof(lane_id=stage.window.book.facts(chat).lane_id, url="page.html"))
    await stage.rest(0.4)
    yield "30-proofs-not-possible"


async def picture_card(stage: Stage) -> AsyncIterator[str]:
    """The card of a picture, whole and with a hidden part; the window is told of it as the engine would tell it,
    because nothing is to be seen on the offscreen platform."""
    chat = await stage.chat(TASK, text_turn("I look first."), title="Fix login loop")
    await stage.ended(chat)
    request = PictureReview(call_id="call", target="window", title="The login page", width=1280, height=800)
    event = InputRequested(input_id="inp_picture", call_id="call", request=request)
    seq = max(one.seq for one in stage.updates if isinstance(one, Envelope) and one.session_id == chat) + 1
    envelope = Envelope(session_id=chat, seq=seq, event_id="evt_picture", parent_id=None, at=stage.clock(), event=event)
    tray = stage.window.page.tray
    await stage.rest(1.0)
    waiting = WaitingInput(input_id="inp_picture", kind="picture", title=request.title, since=stage.clock())
    listed = next(one for one in reversed(stage.updates) if isinstance(one, SessionsChanged))
    chats = tuple(
        one.model_copy(update={"waiting": (waiting,)}) if one.session_id == chat else one for one in listed.sessions
    )
    stage.window.apply_updates([envelope, SessionsChanged(sessions=chats)])
    await stage.card("picture_card")
    await stage.rest(0.5)
    tray.hearing.take([CaptureLoaded(call_id="call", input_id="inp_picture", data=_page("Continue", "#0A5FC4"))])
    await stage.rest(0.5)
    yield "30-picture-card"
    await stage.click("picture_blank")
    view = await stage.find("picture_view")
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    await stage.rest(0.3)
    yield "30-picture-card-hidden"
