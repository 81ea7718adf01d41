"""The libraries of the system that Qt loads, by Debian package, and what to say when one of them is missing."""

import ctypes
import ctypes.util
import re
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.core.errors import StartError

# Proved on bare Debian 12 and 13; `packaging/bootstrap.py` installs the same (a test compares them).
OFFSCREEN_LIBRARIES = {
    "GL": "libgl1",
    "EGL": "libegl1",
    "glib-2.0": "libglib2.0-0",
    "dbus-1": "libdbus-1-3",
    "fontconfig": "libfontconfig1",
    "xkbcommon": "libxkbcommon0",
}
DISPLAY_LIBRARIES = {
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-image": "libxcb-image0",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-randr": "libxcb-randr0",
    "xcb-render-util": "libxcb-render-util0",
    "xcb-shape": "libxcb-shape0",
    "xcb-xkb": "libxcb-xkb1",
    "xkbcommon-x11": "libxkbcommon-x11-0",
}
_X11_PLUGIN = Path("platforms") / "libqxcb.so"
_FILE = re.compile(r"\blib([\w.+-]+?)\.so\b[.\d]*")


def check_x11(plugins: Path) -> None:
    """Load Qt's plugin for X11 from its folder of plugins, as Qt does a moment later; it ends the program when that
    fails.

    Raises:
        StartError: a library that it needs is missing; the Debian packages are named.
    """
    plugin = plugins / _X11_PLUGIN
    if plugin.exists():
        try:
            ctypes.CDLL(str(plugin))
        except OSError as error:
            raise StartError(missing_words(str(error), DISPLAY_LIBRARIES)) from error


def missing_words(error: str, wanted: Mapping[str, str] = OFFSCREEN_LIBRARIES) -> str:
    """The sentence for the loader's `error`, with the packages of all `wanted` libraries that are not here."""
    named = _FILE.search(error)
    absent = [name for name in wanted if ctypes.util.find_library(name) is None]
    if named is not None and named[1] in {**OFFSCREEN_LIBRARIES, **DISPLAY_LIBRARIES} and named[1] not in absent:
        absent.insert(0, named[1])
    packages = [{**OFFSCREEN_LIBRARIES, **DISPLAY_LIBRARIES}[name] for name in absent]
    library = named[0] if named is not None else error
    if not packages:
        return f"Qt cannot be loaded: {error}."
    noun = "package" if len(packages) == 1 else "packages"
    return f"Qt cannot load {library}; install the Debian {noun} {', '.join(packages)} and start again."
