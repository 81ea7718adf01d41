"""Proofs of a chat: files and pictures become records, people review them, and nothing is kept that was refused."""

import io
import os
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from desktop.config.settings_file import load_settings
from desktop.domain.commands import SaveSettings, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallFinished, UserMessage
from desktop.domain.gate.pending import Answer, PictureReview
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import (
    CaptureLoaded,
    CaptureRequested,
    ComparisonLoaded,
    ProofAdded,
    ProofContentLoaded,
    ProofsChanged,
)
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def picture(width: int = 200, height: int = 120, *, spot: int = 40) -> bytes:
    """A red square on white; without a spot one colour."""
    image = Image.new("RGB", (width, height), (250, 250, 250))
    if spot > 0:
        ImageDraw.Draw(image).rectangle((10, 10, 10 + spot, 10 + spot), fill=(200, 30, 30))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def results(rig: Rig) -> list[str]:
    found = []
    for event in rig.events(ToolCallFinished):
        first = event.content if isinstance(event.content, str) else event.content[0]
        found.append(first if isinstance(first, str) else str(first["text"]))  # type: ignore[index,call-overload]
    return found


def last(rig: Rig, kind: type) -> object:
    return next(update for update in reversed(rig.updates) if isinstance(update, kind))


async def listed(rig: Rig, lane_id: str) -> ProofsChanged:
    await rig.engine.handle(c.LoadProofs(lane_id=lane_id))
    found = last(rig, ProofsChanged)
    assert isinstance(found, ProofsChanged)
    return found


async def test_an_agent_attaches_files_and_a_person_reviews_them(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    model_api.script(text_turn("ready"))
    session_id = await rig.new("Show it")
    await rig.ended()
    lane, session = rig.lane(session_id), rig.engine.sessions.get(session_id)
    assert session.lane is not None
    lane_id = session.lane.id
    (lane / "shot.png").write_bytes(picture())
    (lane / "shot.txt").write_bytes(picture(100, 100))
    (lane / "later.png").write_bytes(picture(100, 120))
    (lane / "broken.png").write_bytes(picture()[:60] + b"x" * 200)
    (lane / "run.log").write_text("1 passed\n")
    (lane / "page.html").write_text("<script>alert(1)</script>")
    (lane / "empty.txt").write_bytes(b"")
    (lane / "dtd.xml").write_text('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><testsuite/>')
    (repository.parent / "secret.png").write_bytes(picture())
    (lane / "link.png").symlink_to(repository.parent / "secret.png")
    temporary = session.processes.private_folder() / "made.json" if session.processes is not None else Path()
    temporary.write_text("{}")
    foreign = temporary.parent.parent.parent / f"banksman-passing-pid{os.getpid()}-other" / "x.json"
    calls = [
        {"path": "shot.png", "title": "First"}, {"path": "shot.png", "title": "First"},
        {"path": "shot.txt", "title": "Odd name"}, {"path": "broken.png", "title": "Broken"},
        {"path": "run.log", "title": "Log"}, {"path": "page.html", "title": "Page"},
        {"path": "empty.txt", "title": "Empty"}, {"path": "dtd.xml", "title": "Suite", "kind": "test_results"},
        {"path": "link.png", "title": "Link"}, {"path": "run.log", "title": "No", "kind": "screenshot"},
        {"path": str(temporary), "title": "Temporary"}, {"path": str(foreign), "title": "Foreign"},
    ]  # fmt: skip
    model_api.script(*(tool_turn("attach_proof", **call) for call in calls), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go"))
    await rig.ended(2)
    texts = results(rig)
    assert "added." in texts[0]
    assert "It was there already." in texts[1]
    assert "The name ends in .txt, the content is a PNG picture." in texts[2]
    assert "It cannot be shown" in texts[3]
    assert all("added." in text for text in (texts[4], texts[5], texts[10]))
    assert texts[6] == "The file is empty."
    assert "declares a document type" in texts[7]
    assert "is not in this lane" in texts[8]
    assert "must be a PNG" in texts[9]
    assert "belongs to another chat" in texts[11]
    shown = await listed(rig, lane_id)
    by_title = {one.proof.title: one for one in shown.proofs}
    assert set(by_title) == {"First", "Odd name", "Broken", "Log", "Page", "Temporary"}
    first = by_title["First"].proof
    assert (first.width, first.height, first.review, first.created_by) == (200, 120, "pending", "agent")
    assert {link.owner for link in by_title["First"].links} == {"lane", "session"}
    assert len(by_title["First"].links) == 2
    session = rig.engine.sessions.get(session_id)
    named = {session_id: session.state.title, lane_id: session.lane.name if session.lane is not None else ""}
    assert dict(by_title["First"].names) == named
    assert by_title["Page"].proof.mime_type == "text/plain"
    assert by_title["Broken"].proof.cannot_show
    assert first.dirty
    # what is shown of them
    await rig.engine.handle(c.LoadProofContent(proof_id=first.id, form="picture"))
    loaded = last(rig, ProofContentLoaded)
    assert isinstance(loaded, ProofContentLoaded)
    assert Image.open(io.BytesIO(loaded.data)).size == (200, 120)
    await rig.engine.handle(c.LoadProofContent(proof_id=by_title["Page"].proof.id, form="text"))
    loaded = last(rig, ProofContentLoaded)
    assert isinstance(loaded, ProofContentLoaded)
    assert loaded.text == "<script>alert(1)</script>"
    # a note goes to the agent as the person's message
    model_api.script(text_turn("I will"))
    await rig.engine.handle(c.ReviewProof(proof_id=first.id, state="needs_more", note="Show the button too"))
    await rig.ended(3)
    message = rig.events(UserMessage)[-1]
    assert f"About the proof {first.id} “First”: Show the button too" in str(message.parts)
    assert message.origin == "person"
    # a person adds another picture, which is compared with the one before
    await rig.engine.handle(
        c.AddProof(lane_id=lane_id, data=picture(200, 130), name="b.png", title="Mine", session_id=session_id)
    )
    added = last(rig, ProofAdded)
    assert isinstance(added, ProofAdded)
    await rig.engine.handle(c.CompareProofs(before_id=first.id, after_id=added.proof_id))
    compared = last(rig, ComparisonLoaded)
    assert isinstance(compared, ComparisonLoaded)
    assert compared.size_note == "The size changed from 200×120 to 200×130."
    assert (compared.changed, compared.regions) == (2000, ((0, 120, 200, 10),))
    # the same files under another commit, then other files
    git(lane, "add", "-A")
    git(lane, "commit", "-q", "-m", "proofs")
    assert {one.stale for one in (await listed(rig, lane_id)).proofs} == {"same_files"}
    (lane / "app.py").write_text("changed")
    now = await listed(rig, lane_id)
    assert {one.stale for one in now.proofs} == {"commit"}
    assert now.proofs[0].proof.review == "accepted", "what a person adds is accepted"
    # content that is gone
    rig.engine._store.blobs.remove(first.sha256)
    now = await listed(rig, lane_id)
    assert [one.proof.title for one in now.proofs if one.missing] == ["First"]


async def test_a_picture_of_the_screen_is_seen_by_a_person_first(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("capture_screenshot", target="desktop", title="All"),
        tool_turn("capture_screenshot", target="window"),
        tool_turn("capture_screenshot", target="desktop"),
        tool_turn("capture_screenshot", target="desktop"),
        tool_turn("capture_screenshot", target="window"),
        tool_turn("capture_screenshot", target="window"),
        text_turn("done"),
    )
    session_id = await rig.new("Look", mode=PermissionMode.PLAN)
    session = rig.engine.sessions.get(session_id)
    assert session.lane is not None

    async def taken(number: int, data: bytes, **more: object) -> str:
        def find(updates: list[object]) -> CaptureRequested | None:
            wanted = [update for update in updates if isinstance(update, CaptureRequested)]
            return wanted[number - 1] if len(wanted) >= number else None

        request = await rig.until(find)  # type: ignore[arg-type]
        await rig.engine.handle(c.CaptureDone(request_id=request.request_id, data=data, scale=2, **more))  # type: ignore[arg-type]
        return request.target

    assert await taken(1, picture(300, 200, spot=80)) == "desktop"
    asked = await rig.asked()
    request = asked.request
    assert isinstance(request, PictureReview)
    assert (request.width, request.height, request.title) == (300, 200, "All")
    await rig.engine.handle(c.LoadCapture(call_id=request.call_id))
    loaded = last(rig, CaptureLoaded)
    assert isinstance(loaded, CaptureLoaded)
    assert loaded.data
    stored = rig.engine._store.database.rows("SELECT count(*) FROM blob")
    await rig.answer(session_id, asked, Answer(outcome="allow_once", crop=(0, 0, 100, 90), blanks=((0, 0, 30, 30),)))
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    assert await taken(2, picture()) == "window"
    asked = await rig.asked(2)
    await rig.answer(session_id, asked, Answer(outcome="reject", note="too much on it"))
    await taken(3, b"", problem="there is no display", ways=("open Banksman on a screen",))
    await taken(4, picture(spot=-1))
    for number, crop in ((5, (0, 0, 60, 50)), (6, None)):
        await taken(number, picture(200, 100, spot=number))
        await rig.answer(session_id, await rig.asked(number - 2), Answer(outcome="allow_once", crop=crop))
    await rig.ended()
    sent, declined, blocked, blank, part, whole_screen = rig.events(ToolCallFinished)
    content = sent.content
    assert not isinstance(content, str)
    assert "proof pf_" in str(content[0])
    assert '"All", 100×90.' in str(content[0])
    assert declined.content == "The person did not send the picture. Reason: too much on it"
    assert (blocked.data["blocked"], blocked.data["target"]) == ("blocked_by_capability", "desktop")
    assert str(blocked.content).startswith("Screenshot not possible: there is no display. You can: ")
    assert "open Banksman on a screen" in str(blocked.content)
    assert blank.is_error
    assert stored
    proofs = (await listed(rig, session.lane.id)).proofs
    told = [(one.proof.title, one.proof.backend, one.proof.width) for one in proofs]
    assert told == [("Screen", "desktop", 200), ("Window", "window", 60), ("All", "desktop", 100)]
    assert "60×50. It is the part of the screen that the person left." in str(part.content)
    assert "200×100. It is what the person sent of the screen." in str(whole_screen.content)
    assert proofs[2].proof.scale == 2
    await rig.engine.handle(c.LoadProofContent(proof_id=proofs[2].proof.id, form="picture"))
    shown = last(rig, ProofContentLoaded)
    assert isinstance(shown, ProofContentLoaded)
    image = Image.open(io.BytesIO(shown.data)).convert("RGB")
    assert (image.getpixel((5, 5)), image.getpixel((50, 50))) == ((0, 0, 0), (200, 30, 30))


async def test_a_page_is_refused_or_missing_with_ways_out(rig: Rig, model_api: FakeModelApi) -> None:
    settings = load_settings(rig.folders.settings_file).model_copy(update={"browser": "/nowhere/browser"})
    await rig.engine.handle(SaveSettings(settings=settings))
    model_api.script(text_turn("ready"))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.lane is not None
    lane = rig.lane(session_id)
    (lane / "page.html").write_text("<p>hello")
    urls = ["http://example.com/", "http://127.0.0.1:1/", "http://u:p@127.0.0.1:1/", "app.py", "../x.html", "page.html"]
    model_api.script(*(tool_turn("capture_screenshot", url=url) for url in urls), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go"))
    await rig.ended(2)
    texts = results(rig)
    assert "is not on this computer" in texts[0]
    assert "port 1 does not belong to this lane" in texts[1]
    assert "with a name or password" in texts[2]
    assert "app.py is no HTML or SVG file" in texts[3]
    assert "is no file of this lane" in texts[4]
    assert texts[5].startswith("Screenshot not possible: no browser")
    assert rig.events(ToolCallFinished)[5].data["blocked"] == "missing"
    assert not rig.events(InputRequested), "nobody was asked"
    shown = await listed(rig, session.lane.id)
    assert shown.proofs == ()
    assert shown.page_problem
