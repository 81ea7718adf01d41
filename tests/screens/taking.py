"""Takes the scenes: plays each once, and at each of its moments a picture in every theme and size, with its checks."""

import hashlib
import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import SubprocessError

from PySide6.QtCore import QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from desktop.config.folders import resource_folder
from desktop.services.settings.environment import VARIABLES as SERVICE_VARIABLES
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.theme import theme
from desktop.ui.theme.theme_files import theme_files
from desktop.ui.window.front.application import Application
from desktop.ui.window.outside import crashes
from tests.fakes.fake_model_api import FakeModelApi
from tests.screens import picture
from tests.screens.samples import make_shop
from tests.screens.scene import Scene
from tests.screens.stage import MODELS, Setting, Stage

logger = logging.getLogger(__name__)
THEMES = ("light", "dark")
# The offscreen platform says this of every dialog with a size limit; it shows no frame that could need one.
NOT_OURS = "propagateSizeHints"


@dataclass(frozen=True)
class Taken:
    """One picture on disk. `size` as "1360x840"."""

    file: str
    scene: str
    theme: str
    size: str
    sha256: str


class Taking:
    """Pictures go below `out`; `home` is the folder that the program takes for the person's home."""

    def __init__(self, out: Path, home: Path, themes: Sequence[str] = THEMES) -> None:
        self.taken: list[Taken] = []
        self.problems: list[str] = []
        self._out, self._home, self._themes = out, home, themes
        self._shop = make_shop(home / "template")
        self._said: list[str] = []

    async def take(self, app: Application, scene: Scene) -> None:
        """Play a scene and take its pictures. What goes wrong is kept in `problems`."""
        by_theme, by_size = scene.anew in ("theme", "look"), scene.anew in ("size", "look")
        for themes in [(one,) for one in self._themes] if by_theme else [self._themes]:
            for sizes in [(one,) for one in scene.sizes] if by_size else [scene.sizes]:
                await self._take(app, replace(scene, sizes=sizes), themes)

    async def _take(self, app: Application, scene: Scene, themes: Sequence[str]) -> None:
        shutil.rmtree(self._home / "work", ignore_errors=True)
        shutil.rmtree(self._home / ".banksman", ignore_errors=True)
        repository = None
        if scene.project:
            repository = Path(shutil.copytree(self._shop, self._home / "work" / self._shop.name))
        setting = Setting(self._home, repository, scene.settings, scene.key_needed)
        before = qInstallMessageHandler(self._on_message)
        uncaught = logging.getLogger(crashes.__name__)
        uncaught.addFilter(self._on_uncaught)
        try:
            with FakeModelApi(models=MODELS) as api:
                stage = Stage(app, setting, api)
                await stage.start()
                try:
                    await self._play(stage, scene, themes)
                finally:
                    await stage.stop()
        except (TimeoutError, AssertionError, LookupError, RuntimeError, SubprocessError, ValueError) as error:
            self.problems.append(f"{scene.name}: {error}")
        finally:
            qInstallMessageHandler(before)
            uncaught.removeFilter(self._on_uncaught)
        self.problems += [f"{scene.name}: {text}" for text in self._said]
        self._said.clear()

    async def _play(self, stage: Stage, scene: Scene, themes: Sequence[str]) -> None:
        """Each moment begins in the look in which the one before ended: another look is what costs most here."""
        looks = list(themes)
        stage.look(scene.sizes[0], looks[0], scene.zoom)
        await stage.rest()
        async for name in scene.play(stage):
            await stage.read_lane()
            for look in looks:
                for size in scene.sizes:
                    stage.look(size, look, scene.zoom)
                    await stage.settle()
                    self._keep(stage, name, look, size)
            looks.reverse()
            stage.look(scene.sizes[0], looks[0], scene.zoom)
            await stage.rest()

    def _keep(self, stage: Stage, name: str, look: str, size: tuple[int, int]) -> None:
        image = picture.take(stage.window)
        shape = f"{size[0]}x{size[1]}"
        file = f"{look}/{shape}/{name}.png"
        path = self._out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        data = picture.png(image)
        path.write_bytes(data)
        self.taken.append(Taken(file, name, look, shape, hashlib.sha256(data).hexdigest()))
        self.problems += [f"{file}: {problem}" for problem in picture.problems(image, stage.window, size)]

    def _on_uncaught(self, record: logging.LogRecord) -> bool:
        if record.exc_info is not None:
            self._said.append(f"nobody caught {record.exc_info[1]!r}")
        return True

    def _on_message(self, kind: QtMsgType, _context: object, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and NOT_OURS not in text:
            self._said.append(f"Qt says: {text}")


def names_of_themes() -> tuple[str, ...]:
    """Those of every picture, and the shipped files of colours."""
    return *THEMES, *(file.name for file in theme_files((resource_folder() / "themes",)))


def prepare(home: Path) -> None:
    """Make this process one of a person with this home, in UTC, with no keyring. Before the application is made."""
    os.environ.update(HOME=str(home), TZ="UTC", PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    for name in SERVICE_VARIABLES:
        os.environ.pop(name, None)


def dress(app: QApplication) -> None:
    """Give the application the theme, and a caret that does not blink."""
    app.setApplicationName("Banksman")
    app.setApplicationDisplayName("Banksman")
    install_theme(app)
    theme().choose("light")
    app.setCursorFlashTime(0)
    app.setQuitOnLastWindowClosed(False)
