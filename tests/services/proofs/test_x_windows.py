"""Windows of programs on a real X server: whose they are, and what a picture of one shows."""

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from PIL import Image

from desktop.services.proofs.x_windows import WindowProblem, picture_of_window, windows_on_screen
from tests.fakes.x_server import SIZE, running_x_server, x_program

RED, BLUE, GREEN = (0xC8, 0x1E, 0x1E), (0x20, 0x60, 0xA0), (0x20, 0xA0, 0x30)


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with running_x_server() as name:
        yield name


@pytest.fixture
def programs() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def colours(png: bytes) -> tuple[tuple[int, int], set[tuple[int, int, int]]]:
    """The sides and the colours of a picture."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return image.size, {colour for _, colour in image.getcolors() or []}  # type: ignore[misc]


def test_each_window_is_told_with_the_lane_of_its_program(display: str, programs: ExitStack) -> None:
    ours = programs.enter_context(x_program(display, (0, 0, 200, 100), title="Größe ✓", lane="ln_1"))
    other = programs.enter_context(x_program(display, (300, 0, 100, 80), title="Bank", flags="pid"))
    programs.enter_context(x_program(display, (0, 300, 50, 50), title="Menu", flags="menu", lane="ln_1"))
    found = windows_on_screen(display)
    assert [(one.window_id, one.title, one.lane_id, one.width, one.height) for one in found] == [
        (other, "Bank", "", 100, 80), (ours, "Größe ✓", "ln_1", 200, 100),
    ]  # fmt: skip
    assert str(os.getpid()) not in found[0].program, "what a window says of itself is not believed"


def test_a_picture_shows_the_window_alone_and_says_when_it_does_not(display: str, programs: ExitStack) -> None:
    window = programs.enter_context(x_program(display, (20, 30, 200, 100), title="App", lane="ln_1"))
    taken = picture_of_window(display, window)
    assert taken.alone
    assert colours(taken.png) == ((200, 100), {RED, BLUE})
    programs.enter_context(x_program(display, (400, 30, 100, 100), title="Beside"))
    assert picture_of_window(display, window).alone
    with x_program(display, (200, 100, 60, 60), title="Over it", colour="20a030", flags="plain"):
        covered = picture_of_window(display, window)
        assert not covered.alone
        assert GREEN in colours(covered.png)[1]
    with x_program(display, (200, 100, 60, 60), title="Menu", flags="menu,plain"):
        assert not picture_of_window(display, window).alone, "a menu of another program may lie over it too"


def test_what_a_compositor_keeps_apart_shows_no_other_window(display: str, programs: ExitStack) -> None:
    programs.enter_context(x_program(display, (0, 0, 10, 10), title="Compositor", flags="composed"))
    window = programs.enter_context(x_program(display, (20, 30, 200, 100), title="App", lane="ln_1"))
    programs.enter_context(x_program(display, (30, 40, 60, 60), title="Over it", colour="20a030", flags="plain"))
    taken = picture_of_window(display, window)
    assert taken.alone
    assert colours(taken.png) == ((200, 100), {RED, BLUE})


def test_a_window_beyond_an_edge_is_taken_as_far_as_it_is_on_screen(display: str, programs: ExitStack) -> None:
    window = programs.enter_context(x_program(display, (SIZE[0] - 50, -20, 200, 100), title="App"))
    assert colours(picture_of_window(display, window).png) == ((50, 80), {RED})


def test_what_cannot_be_taken_says_why(display: str, programs: ExitStack) -> None:
    with x_program(display, (0, 0, 50, 50)) as window:
        pass
    for name, number, why in (
        (display, window, "the window is not on screen any more"),
        (display, 0x7FFFFFF, "the window is not on screen any more"),
        (":9876", window, "the X server does not answer"),
        ("", window, "there is no X display"),
    ):
        with pytest.raises(WindowProblem, match=why):
            picture_of_window(name, number)
