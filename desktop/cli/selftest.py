"""`banksman --selftest`: one line per tool with a hash of its schema, then what the program needs, each tried."""

import os
import sys
from collections.abc import Callable

import keyring
from PySide6.QtGui import QImageReader
from PySide6.QtWidgets import QApplication

from desktop.config.folders import resource_folder
from desktop.config.promises import promises
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import Usage
from desktop.providers.demo_script import demo_scripts
from desktop.providers.prices import cost_microusd
from desktop.providers.sdk import load_sdk
from desktop.services.git.run import Git
from desktop.services.processes.around import find_bash
from desktop.tools.registry import discover, schema_hash
from desktop.ui.theme import icons
from desktop.ui.theme.fonts import load_fonts

PROBLEMS = (OSError, RuntimeError, LookupError, ImportError, ValueError, BanksmanError)


def main(argv: list[str]) -> int:
    """Exit status 0 when everything works; each line that begins with `FAILED` names what does not."""
    for tool in discover().tools:
        print(f"tool {tool.name} {tool.tier} {tool.category.value} {schema_hash(tool)}")
    results = [_try(name, check) for name, check in CHECKS.items()]
    return 0 if all(results) else 1


def _try(name: str, check: Callable[[], str]) -> bool:
    try:
        found = check()
    except PROBLEMS as error:
        print(f"FAILED {name}: {type(error).__name__}: {error}")
        return False
    print(f"ok {name}: {found}")
    return True


def _git() -> str:
    return Git(resource_folder()).run_now("--version").stdout.strip()


def _bash() -> str:
    found = find_bash()
    if found is None:
        raise FileNotFoundError("bash was not found")
    return found


def _resources() -> str:
    icons = len(list((resource_folder() / "icons").glob("*.svg")))
    fonts = len(list((resource_folder() / "fonts").glob("*.ttf")))
    if not icons or not fonts:
        raise FileNotFoundError(f"{resource_folder()} holds {icons} icons and {fonts} fonts")
    return f"{icons} icons, {fonts} fonts, {len(promises())} promises"


def _window() -> str:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    load_fonts()
    if icons.pixmap("shield").isNull():
        raise RuntimeError("an icon could not be drawn")
    formats = {bytes(name.data()).decode() for name in QImageReader.supportedImageFormats()}
    if "png" not in formats:
        raise RuntimeError("pictures cannot be read")
    return f"{app.platformName()} platform" if isinstance(app, QApplication) else "Qt"


def _sdk() -> str:
    return "light import" if load_sdk().light else "plain import"


def _prices() -> str:
    cost = cost_microusd("claude-sonnet-4-6", Usage(input=1_000_000, output=0))
    if not cost:
        raise LookupError("no price was found for a known model")
    return f"{cost} microdollars for a million tokens"


def _demo() -> str:
    return ", ".join(script.name for script in demo_scripts())


def _keyring() -> str:
    return type(keyring.get_keyring()).__module__


CHECKS: dict[str, Callable[[], str]] = {
    "git": _git,
    "bash": _bash,
    "resources": _resources,
    "window": _window,
    "model service": _sdk,
    "prices": _prices,
    "demo scripts": _demo,
    "keyring": _keyring,
}
