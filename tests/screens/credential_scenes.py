"""Scenes of secrets that people entrust to agents."""

from collections.abc import AsyncIterator

from PySide6.QtWidgets import QLineEdit

from desktop.domain.credentials.updates import CredentialsChanged
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

TASK = "Publish the package"
ASKED = {
    "provider": "npm registry",
    "label": "Token that may publish",
    "description": "Publishing the package needs a token; the test run showed 401 without one.",
    "placeholder": "npm_…",
    "names": ["NPM_TOKEN"],
}


async def credential_card(stage: Stage) -> AsyncIterator[str]:
    """The card on which a secret is typed, then the card of its use."""
    chat = await stage.chat(TASK, tool_turn("request_credential", **ASKED), text_turn("Thanks."))
    await stage.card("credential_card")
    await stage.rest(0.5)
    yield "31-credential-card"
    field = await stage.find("credential_field")
    assert isinstance(field, QLineEdit)
    field.setText("a-sample-of-a-token")
    await stage.click("credential_store")
    await stage.ended(chat)
    handle = next(one for one in reversed(stage.updates) if isinstance(one, CredentialsChanged)).credentials[0].handle
    uses = [{"secret": handle, "env": "NPM_TOKEN"}]
    stage.script(TASK, tool_turn("bash", command="npm publish", network=True, secrets=uses), text_turn("Published."))
    await stage.say(chat, "Go on")
    await stage.card()
    await stage.rest(0.5)
    yield "31-credential-use-card"
    await stage.answer(chat, "reject")
    stage.window.show_settings("secrets")
    await stage.find("settings_secrets_list")
    await stage.rest(0.5)
    yield "31-credential-settings"
