"""Scenes of secrets that people entrust to agents."""

from collections.abc import AsyncIterator

from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit

from desktop.agent.skills.shelf import SkillShelf
from desktop.domain.core.clock import utc_now
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.skills.packages import Package, PackageFile
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

PASTED = "ghp_9bR2xKq7LmZt4VwYc8Hd1NfJs6PaGe3UoTi0"
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
    await stage.click("settings_secrets_edit")
    await stage.find("edit_secret")
    await stage.rest(0.3)
    yield "31-credential-edit"
    await stage.click("edit_secret_cancel")
    await stage.click("settings_close")


async def skill_secret(stage: Stage) -> AsyncIterator[str]:
    """The card on which a person says which secret a skill is given."""
    more = "secret_mounts: {token: 'env:NPM_TOKEN'}\n"
    text = f"---\nname: publish\ndescription: How packages are published\n{more}---\nPublish with npm.\n"
    shelf = SkillShelf(stage.folders.data, utc_now)
    shelf.install("publish", Package([PackageFile("SKILL.md", False, text.encode())]), source="/home/you/skills")
    load = tool_turn("use_skill", skill_id="publish")
    wants = {**ASKED, "skill": "publish", "secret": "token"}
    chat = await stage.chat(
        "Publish it", tool_turn("request_credential", **ASKED), load, tool_turn("request_credential", **wants),
        text_turn("Thanks."),
    )  # fmt: skip
    await stage.card("credential_card")
    field = await stage.find("credential_field")
    assert isinstance(field, QLineEdit)
    field.setText("a-sample-of-a-token")
    await stage.click("credential_store")
    choice = await stage.find("credential_choice")
    assert isinstance(choice, QComboBox)
    choice.setCurrentIndex(1)
    await stage.rest(0.5)
    yield "31-skill-secret-card"
    await stage.click("credential_store")
    await stage.ended(chat)


async def pasted_secret(stage: Stage) -> AsyncIterator[str]:
    """A key in a message: what was taken out, and the dialog that keeps it."""
    chat = await stage.chat("Look at the release", text_turn("Tell me what to push."), title="Release")
    await stage.ended(chat)
    stage.script("Look at the release", text_turn("I ask for the token on a card when I need it."))
    field = await stage.find("composer_text")
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText(f"Push it with {PASTED}")
    await stage.click("composer_send")
    await stage.ended(chat, 2)
    await stage.find("composer_secret")
    await stage.rest(0.3)
    yield "87-pasted-secret"
    await stage.click("composer_secret_keep")
    await stage.find("keep_secret")
    await stage.rest(0.3)
    yield "87-keep-secret"
