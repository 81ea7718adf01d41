"""The header names the address of a service that nobody set up."""

import pytest

from desktop.config.found import FoundService
from desktop.config.settings import Endpoint
from desktop.domain.events import ModelChanged
from desktop.domain.updates import KeysChanged, KeyState
from tests.ui.compose_place import Place, place

__all__ = ["place"]

GATEWAY = Endpoint(id="env-anthropic", label="gw", kind="compatible", base_url="https://gw.example.com", auth="api_key")


@pytest.mark.promise("sessions-SV4")
def test_a_chat_with_a_service_of_the_environment_names_its_address(place: Place) -> None:
    found = FoundService(endpoint=GATEWAY, address_from="ANTHROPIC_BASE_URL", used=True)
    keys = (KeyState(endpoint_id="env-anthropic", place="environment", variable="ANTHROPIC_AUTH_TOKEN"),)
    place.show()
    assert not place.sees("header_service")
    place.happens(ModelChanged(endpoint_id="env-anthropic", model="m", thinking="off"))
    place.window.apply_updates([KeysChanged(keys=keys, found=(found,))])
    chip = place.button("header_service")
    assert chip.accessibleName() == "gw.example.com"
    assert "https://gw.example.com, found in ANTHROPIC_BASE_URL." in chip.toolTip()
