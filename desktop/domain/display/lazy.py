"""The texts that the places of the window paint; their Markdown parser (0.04 s to import) is loaded at the first text
shown."""

from typing import TYPE_CHECKING

from desktop.late import late

if TYPE_CHECKING:
    from desktop.domain.display.surfaces import Surface


def surface_text(text: str, surface: "Surface") -> str:
    """As `desktop.domain.display.surfaces.surface_text`, which the first call imports."""
    return str(late("desktop.domain.display.surfaces").surface_text(text, surface))


def path_text(text: str) -> str:
    """A path in one line, whole."""
    return str(late("desktop.domain.display.surfaces").path_text(text))


def whole_title(text: str) -> str:
    """The title of a chat or a question in one line, whole."""
    return str(late("desktop.domain.display.surfaces").whole_title(text))


def card_title(text: str) -> str:
    """The title of something that is approved, in one line, whole."""
    return str(late("desktop.domain.display.surfaces").card_title(text))
