"""A text that cannot be sent has the reason below it, not in a tooltip alone."""

from PySide6.QtWidgets import QLabel

from desktop.config.settings import ANTHROPIC_ENDPOINT, Settings
from desktop.domain.updates import KeysChanged, KeyState, SettingsChanged
from tests.ui.compose_place import Place, place

__all__ = ["place"]


def why(place: Place) -> str:
    label = place.window.findChild(QLabel, "composer_blocked")
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def test_the_reason_stands_below_what_is_written(place, qtbot):
    place.window.new_chat()
    endpoint = ANTHROPIC_ENDPOINT
    place.window.apply_updates(
        [
            SettingsChanged(settings=Settings(endpoints=(endpoint,), default_endpoint="anthropic")),
            KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="none"),)),
        ]
    )
    assert why(place) == ""
    qtbot.keyClicks(place.field, "hello")
    assert why(place) == "Add a key for Anthropic first."
    key = KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="keyring", tail="1234"),))
    place.window.apply_updates([key])
    assert why(place) == ""
    bare = endpoint.model_copy(update={"default_model": ""})
    place.window.apply_updates(
        [SettingsChanged(settings=Settings(endpoints=(bare,), default_endpoint="anthropic")), key]
    )
    assert why(place) == "Choose a model first."
    place.field.clear()
    assert why(place) == ""
