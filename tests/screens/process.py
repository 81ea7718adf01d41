"""One process that takes scenes. It puts the language on before anything is imported that shows texts."""

from importlib import import_module
from typing import Any

from desktop.language import wear
from tests.languages import FOLDER

PHOTOGRAPHERS = "tests.screens.photographers"


def begin(language: str, *made_of: object) -> None:
    """Make the photographer of this process."""
    wear(language, FOLDER)
    import_module(PHOTOGRAPHERS).begin(*made_of)


def take(name: str) -> Any:  # what the photographer returns
    """Have one scene taken."""
    return import_module(PHOTOGRAPHERS).take(name)
