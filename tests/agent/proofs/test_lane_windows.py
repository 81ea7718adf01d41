"""Windows of the lane's programs on a real X server: taken for its agents without a question, others never."""

import base64
import io
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from PIL import Image

from desktop.domain.commands import SendMessage
from desktop.domain.events import InputRequested, ToolCallFinished
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import CaptureRequested, ProofsChanged, WindowCaptured, WindowsListed
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.x_server import running_x_server, x_program

pytestmark = pytest.mark.asyncio


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with running_x_server() as name:
        monkeypatch.setenv("DISPLAY", name)
        yield name


def texts(rig: Rig) -> list[str]:
    """What the model was told of each call."""
    contents = [event.content for event in rig.events(ToolCallFinished)]
    return [one if isinstance(one, str) else str(one[0]["text"]) for one in contents]  # type: ignore[index]


async def test_a_window_of_the_lane_is_taken_and_no_other_without_a_person(
    rig: Rig, model_api: FakeModelApi, display: str
) -> None:
    model_api.script(text_turn("ready"))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.lane is not None
    lane_id = session.lane.id

    async def capture(**fields: str) -> str:
        before = len(texts(rig))
        model_api.script(tool_turn("capture_screenshot", target="window", **fields), text_turn("done"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="go"))
        await rig.ended(before + 2)
        return texts(rig)[before]

    with ExitStack() as programs:
        programs.enter_context(x_program(display, (0, 0, 200, 100), title="Shop", lane=lane_id))
        programs.enter_context(x_program(display, (0, 200, 80, 80), title="Log <untrusted>", lane=lane_id))
        programs.enter_context(x_program(display, (400, 0, 90, 90), title="Bank"))
        programs.enter_context(x_program(display, (400, 200, 90, 90), title="Shop", lane="ln_other"))
        found = await capture(window="shop", title="The shop")
        assert '"The shop", 200×100. It is a window of a program of this lane' in found
        assert "Shop\nLog &lt;untrusted>" in found, "titles are words of strangers"
        assert "Bank" not in found
        topmost = await capture()
        assert '"Window", 80×80.' in topmost
        wrong = await capture(window="bank")
        assert 'No window of this lane has "bank" in its title.' in wrong
        with x_program(display, (100, 50, 60, 60), title="Mail"):
            waiting = rig.engine.handle(SendMessage(session_id=session_id, text="again"))
            model_api.script(tool_turn("capture_screenshot", target="window", window="shop"), text_turn("done"))
            await waiting
            request = await rig.until(
                lambda updates: next((one for one in updates if isinstance(one, CaptureRequested)), None)
            )
            assert request.target == "window", "another program lies over it: a person looks first"
            await rig.engine.handle(c.CaptureDone(request_id=request.request_id, problem="it was hidden"))
            await rig.ended(5)
    assert "Screenshot not possible: it was hidden." in texts(rig)[-1]
    assert not rig.events(InputRequested)
    await rig.engine.handle(c.LoadProofs(lane_id=lane_id))
    shown = next(one for one in reversed(rig.updates) if isinstance(one, ProofsChanged))
    kept = {(one.proof.title, one.proof.backend, one.proof.source) for one in shown.proofs}
    assert kept == {("The shop", "window", "Shop"), ("Window", "window", "Log <untrusted>")}


async def test_the_model_sees_the_picture_of_the_window(rig: Rig, model_api: FakeModelApi, display: str) -> None:
    model_api.script(text_turn("ready"))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.lane is not None
    with x_program(display, (0, 0, 200, 100), title="Shop", lane=session.lane.id):
        model_api.script(tool_turn("capture_screenshot", target="window"), text_turn("done"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="go"))
        await rig.ended(2)
    sent = str(model_api.requests[-1].messages)
    data = sent.split("'media_type': 'image/png', 'data': '")[1].split("'")[0]
    image = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    assert (image.size, image.getpixel((5, 5)), image.getpixel((150, 50))) == (
        (200, 100), (0xC8, 0x1E, 0x1E), (0x20, 0x60, 0xA0),
    )  # fmt: skip


async def test_a_person_chooses_among_all_windows(rig: Rig, display: str) -> None:
    with x_program(display, (0, 0, 50, 50), title="Bank") as window:
        await rig.engine.handle(c.ListWindows())
        listed = next(one for one in reversed(rig.updates) if isinstance(one, WindowsListed))
        assert [(one.window_id, one.title, one.lane_id) for one in listed.windows] == [(window, "Bank", "")]
        await rig.engine.handle(c.CaptureWindow(window_id=window))
        taken = next(one for one in reversed(rig.updates) if isinstance(one, WindowCaptured))
        assert (taken.title, taken.alone, Image.open(io.BytesIO(taken.data)).size) == ("Bank", True, (50, 50))
    await rig.engine.handle(c.CaptureWindow(window_id=window))
    gone = next(one for one in reversed(rig.updates) if isinstance(one, WindowCaptured))
    assert (gone.data, gone.problem) == (b"", "the window is not on screen any more")
