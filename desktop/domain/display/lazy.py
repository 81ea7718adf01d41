"""What the places of the window paint, whose Markdown parser (0.04 s to import) is loaded at the first text shown."""

import importlib
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.domain.display.surfaces import Surface


def surface_text(text: str, surface: "Surface") -> str:
    """What `desktop.domain.display.surfaces.surface_text` says; the first call imports it."""
    return str(_surfaces().surface_text(text, surface))


def path_text(text: str) -> str:
    """A path in one line, whole."""
    return str(_surfaces().path_text(text))


def whole_title(text: str) -> str:
    """The title of a chat or a question in one line, whole."""
    return str(_surfaces().whole_title(text))


def card_title(text: str) -> str:
    """The title of something that is approved, in one line, whole."""
    return str(_surfaces().card_title(text))


@cache
def _surfaces() -> ModuleType:
    return importlib.import_module("desktop.domain.display.surfaces")
