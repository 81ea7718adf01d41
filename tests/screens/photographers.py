"""Scenes taken by several processes side by side: each has a home, an application and a window of its own."""

import gc
import json
import logging
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import qasync

from desktop.collecting import look
from desktop.language import ENGLISH
from desktop.ui.window.front.application import Application
from tests.screens import process
from tests.screens.scene import SIZES
from tests.screens.scenes import SCENES
from tests.screens.taking import Taken, Taking, dress, prepare

PROCESSES = 5  # a scene waits for more than half of its time
SCREEN = {
    "windowFrameMargins": False,
    "screens": [{"name": "screen", "x": 0, "y": 0, "width": 1920, "height": 1200, "logicalDpi": 96, "dpr": 1}],
}
# They take longest, most of it waiting: begun first, none of them is left alone at the end.
LONGEST = frozenset({
    "pr_states", "pr_pages", "pr_merge", "lane_stack_run", "lane_conflicts", "lane_delete", "lane_setup", "inbox",
    "proofs_viewer", "proofs_compare", "proofs_states", "mcp_samples", "terminal_states", "terminal_leftovers",
})  # fmt: skip
Pictures = tuple[list[Taken], list[str]]
Size = tuple[int, int]


def take_all(
    out: Path, names: list[str], themes: tuple[str, ...], size: Size | None, processes: int, language: str = ENGLISH
) -> Pictures:
    """The pictures of the named scenes, in the order of the names, and what is wrong with them. `size` None: those of
    each scene."""
    found: dict[str, Pictures] = {}
    several = max(1, min(processes, len(names)))
    with (
        tempfile.TemporaryDirectory(prefix="banksman-screens-") as folder,
        ProcessPoolExecutor(
            several, get_context("spawn"), process.begin, (language, folder, out, themes, size)
        ) as pool,
    ):
        taking = {pool.submit(process.take, name): name for name in sorted(names, key=lambda name: name not in LONGEST)}
        for done in as_completed(taking):
            *pictures, took_s = done.result()
            found[taking[done]] = pictures[0], pictures[1]
            print(f"{taking[done]}: {took_s:.1f} s", flush=True)
    return [one for name in names for one in found[name][0]], [one for name in names for one in found[name][1]]


# In each process


class Photographer:
    """Takes scenes one after the other. Made once in a process, on its first thread."""

    def __init__(self, folder: Path, out: Path, themes: tuple[str, ...], size: Size | None) -> None:
        home = folder / "robin"
        home.mkdir()
        prepare(home)
        (folder / "screen.json").write_text(json.dumps(SCREEN))
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={folder}/screen.json"
        time.tzset()
        self._app = Application(sys.argv[:1])
        dress(self._app)
        self._taking = Taking(out, home, themes)
        self._size = size

    def take(self, name: str) -> tuple[list[Taken], list[str], float]:
        """The pictures of one scene, what is wrong with them, and how long it took, in seconds."""
        scene = next(scene for scene in SCENES if scene.name == name)
        if self._size is not None and scene.sizes == SIZES:  # one that has sizes of its own keeps them
            scene = replace(scene, sizes=(self._size,))
        self._taking.taken, self._taking.problems = [], []
        began = time.monotonic()
        with qasync.QEventLoop(self._app) as loop:
            loop.run_until_complete(self._taking.take(self._app, scene))
        look()
        return self._taking.taken, self._taking.problems, time.monotonic() - began


_here: list[Photographer] = []


def begin(folder: str, out: Path, themes: tuple[str, ...], size: Size | None) -> None:
    """Make the photographer of this process."""
    logging.basicConfig(level=logging.WARNING)
    gc.disable()
    _here.append(Photographer(Path(tempfile.mkdtemp(dir=folder)), out, themes, size))


def take(name: str) -> tuple[list[Taken], list[str], float]:
    """Have the photographer of this process take one scene."""
    return _here[0].take(name)
