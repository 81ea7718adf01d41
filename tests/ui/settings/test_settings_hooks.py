"""The page Hooks of the settings: how hooks stand, trust, the switch, and trying one."""

from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QPushButton

from desktop.domain.hooks.updates import HookFile, HookRow, HooksImported, HooksLoaded, HookTried, PastRun
from desktop.domain.hooks.values import Hook, HookMatch
from desktop.domain.updates import CommandFailed
from desktop.ui.settings.hooks.page import HooksPage
from desktop.ui.theme.theme import theme
from tests.ui.settings_place import Place

FRIDAY = Hook(
    id="friday",
    on="before_call",
    match=(HookMatch(tool="bash", tokens=("alembic", "upgrade")), HookMatch(kind="write", glob="migrations/**")),
    command=("python3", "friday.py"),
)
LINT = Hook(id="lint", on="after_call", text="make lint\u202e", timeout_s=30)
ASKED = PastRun(at=datetime(2026, 11, 21, 14, 2, tzinfo=UTC), decision="asked", duration_ms=41)
OWN = HookRow(hook=FRIDAY, scope="person", last=(ASKED,), slow=True)
SHARED = HookRow(hook=LINT, scope="repository", runs=False)
WAITS = HookFile(
    scope="repository",
    path=".banksman/hooks.toml",
    waits=True,
    sha256="a" * 64,
    files=("lint.sh",),
    difference="-exit 2\n+exit 0\u202e",
)


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "hooks")
    reply(place, HooksLoaded(hooks=(OWN, SHARED), files=(WAITS,), folder="/home/you/.config/banksman"))
    return place


def reply(place, update):
    place.apply(update.model_copy(update={"command_id": place.sink.sent[-1].command_id}))


def choose(place, at):
    place.get("settings_hooks_list", QListWidget).setCurrentRow(at)


def test_icons_of_rows_follow_the_theme(place):
    rows = place.get("settings_hooks_list", QListWidget)
    before = rows.item(0).icon().cacheKey()
    theme().choose("dark")
    assert rows.item(0).icon().cacheKey() != before
    theme().choose("light")


def test_every_hook_says_how_it_stands(place):
    found = place.get("settings_hooks_list", QListWidget)
    texts = [found.item(at).text() for at in range(found.count())]
    assert texts[0].startswith("friday · on · your own · before a call\npython3 friday.py")
    assert "does not run until you trust it · of the repository" in texts[1]
    assert "\u202e" not in texts[1]
    detail = place.text("settings_hooks_detail")
    assert (
        "the tool bash, commands that begin with alembic upgrade; calls of the kind write, paths migrations/**"
        in detail
    )
    assert "over a second again and again" in detail
    assert "14:02 asked, 41 ms" in detail
    choose(place, 1)
    assert "every call" in place.text("settings_hooks_detail")
    assert not place.get("settings_hooks_try", QPushButton).isEnabled()


def test_a_yes_binds_the_difference_that_was_shown(place):
    shown = place.get("settings_hooks_trust_repository_difference", QPlainTextEdit).toPlainText()
    assert shown.startswith("-exit 2\n+exit 0")
    assert "\u202e" not in shown
    place.get("settings_hooks_trust_repository_accept", QPushButton).click()
    sent = place.sink.sent[-1]
    assert (sent.type, sent.scope, sent.sha256) == ("trust_hooks", "repository", "a" * 64)
    failed = CommandFailed(command_id=sent.command_id, code="hooks_changed", text="Look at them again.")
    place.apply(failed)
    assert place.text("settings_hooks_problem") == "Look at them again."
    assert place.get("settings_hooks_trust_repository_accept", QPushButton).isEnabled()


def test_a_hook_is_switched_off_and_on(place):
    place.get("settings_hooks_switch", QPushButton).click()
    sent = place.sink.sent[-1]
    assert (sent.type, sent.scope, sent.hook_id, sent.on) == ("switch_hook", "person", "friday", False)
    reply(place, HooksLoaded(hooks=(OWN.model_copy(update={"on": False}),)))
    assert place.get("settings_hooks_switch", QPushButton).text() == "Switch on"


def test_trying_says_what_came_of_it(place):
    place.get("settings_hooks_try", QPushButton).click()
    assert place.sink.sent[-1].type == "try_hook"
    reply(place, HookTried(hook_id="friday", call="alembic upgrade head", words="It asks: it is Friday (41 ms)."))
    assert place.text("settings_hooks_tried") == "It asks: it is Friday (41 ms). Asked about: alembic upgrade head"


def test_without_hooks_it_says_where_they_are_written(qtbot):
    place = Place(qtbot, "hooks")
    reply(place, HooksLoaded(folder="/home/you/.config/banksman"))
    assert "hooks.toml in /home/you/.config/banksman" in place.text("settings_hooks_none")
    place.get("settings_hooks_again", QPushButton).click()
    fault = HookFile(scope="person", path="hooks.toml", problem="it is not TOML")
    reply(place, HooksLoaded(files=(fault,)))
    assert place.text("settings_hooks_problem") == "hooks.toml cannot be used: it is not TOML."


def test_what_is_taken_over_is_shown_first_and_then_added(place):
    page = place.get("settings_hooks", HooksPage)
    page.import_from("/home/you/settings.json")
    sent = place.sink.sent[-1]
    assert (sent.type, sent.place, sent.save) == ("import_hooks", "/home/you/settings.json", False)
    text = '\n[[hook]]\nid = "imported-1"\n'
    reply(place, HooksImported(text=text, others=("PreToolUse: \u202eno.",)))
    assert place.get("settings_hooks_imported_text", QPlainTextEdit).toPlainText() == text.strip()
    assert "PreToolUse" in place.text("settings_hooks_imported_others")
    assert "\u202e" not in place.text("settings_hooks_imported_others")
    place.get("settings_hooks_imported_add", QPushButton).click()
    sent = place.sink.sent[-1]
    assert sent.save
    reply(place, HooksImported(text=text, saved=True))
    assert place.text("settings_hooks_imported_title") == "They are among your hooks now"
    assert not place.get("settings_hooks_imported_add", QPushButton).isVisible()
    assert place.sink.sent[-1].type == "load_hooks"


@pytest.mark.promise("guests-H2")
def test_the_hosts_that_hooks_may_reach_are_told_before_and_after_they_are_trusted(qtbot):
    place = Place(qtbot, "hooks")
    hosts = ("ci.example.org", ".builds.example:8443")
    lint = HookRow(hook=LINT.model_copy(update={"network": hosts}), scope="repository", runs=False)
    reply(place, HooksLoaded(hooks=(lint,), files=(WAITS.model_copy(update={"hosts": hosts}),)))
    card = place.text("settings_hooks_trust_repository_hosts")
    assert card.startswith("They may reach ci.example.org, .builds.example:8443, and send there")
    assert "It may reach ci.example.org, .builds.example:8443" in place.text("settings_hooks_detail")
