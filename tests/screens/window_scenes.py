"""Scenes of the frame: first start, dialogs, palette, settings, empty regions, overlays."""

import os
from collections.abc import AsyncIterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QLineEdit, QScrollArea

from desktop.config.settings import Appearance
from desktop.domain.chats.commands import MuteSession
from desktop.domain.commands import SaveSettings
from desktop.domain.updates import EndpointChecked
from desktop.language import tr
from desktop.ui.widgets.dialogs.output_viewer import OutputViewer
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.samples import NEW, OLD, TASK
from tests.screens.stage import Stage

REPORT = """Read this before you share it: it names files and may hold words of errors. Nothing of it was sent anywhere.

Banksman 0.1.0, Python 3.11.7, Linux

Traceback (most recent call last):
  File "desktop/ui/models/rows.py", line 41, in row
    return self._rows[at]
           ~~~~~~~~~~^^^^
IndexError: list index out of range
"""


async def welcome(stage: Stage) -> AsyncIterator[str]:
    """01"""
    await stage.find("welcome")
    yield "01-welcome-first-start"


async def welcome_no_key(stage: Stage) -> AsyncIterator[str]:
    """01, the second step"""
    await stage.find("welcome")
    await stage.rest(0.3)
    yield "01-welcome-no-key"


async def composer_blocked(stage: Stage) -> AsyncIterator[str]:
    """A written text that cannot be sent, with its reason"""
    await stage.find("welcome")
    await stage.click("welcome_skip")
    await stage.type("composer_text", "Find out why the login redirects for ever.")
    await stage.find("composer_blocked")
    yield "03-composer-blocked"


async def model_picker(stage: Stage) -> AsyncIterator[str]:
    """24"""
    stage.window.new_chat()
    await stage.check_models()
    await stage.click("composer_model")
    await stage.find("model_popup")
    yield "24-model-picker"


async def settings_pages(stage: Stage) -> AsyncIterator[str]:
    """33"""
    stage.window.show_settings()
    await stage.find("settings_dialog")
    for page in ("general", "providers", "appearance", "notifications", "advanced"):
        stage.window.show_settings(page)
        await stage.rest()
        yield f"33-settings-{page}"
    for text in ("Describe the cart", "Explain the retry policy"):
        chat = await stage.chat(text, text_turn("Done."), title=text, show=False)
        await stage.ended(chat)
        stage.send(MuteSession(session_id=chat))
    await stage.until(lambda: len(stage.window.engine.muted) == 2, "the chats to be muted")
    stage.window.show_settings("notifications")
    page_of = await stage.find("settings_notifications")
    assert isinstance(page_of, QAbstractScrollArea)
    await stage.rest(0.3)
    page_of.verticalScrollBar().setValue(page_of.verticalScrollBar().maximum())
    await stage.rest()
    yield "33-settings-notifications-end"


async def settings_search(stage: Stage) -> AsyncIterator[str]:
    """44"""
    stage.window.show_settings()
    field = await stage.find("settings_search")
    assert isinstance(field, QLineEdit)
    await stage.type("settings_search", tr("cost"))
    yield "44-settings-search"
    field.setText(tr("Quiet hours").split()[0].casefold())
    QTest.keyClick(field, Qt.Key.Key_Return)
    await stage.find("settings_notifications")
    await stage.rest()
    yield "44-settings-search-chosen"
    field.setText("nowhere")
    await stage.rest()
    yield "44-settings-search-nothing"
    field.setText(tr("Port").casefold())
    await stage.rest()
    yield "44-settings-search-form"
    QTest.keyClick(field, Qt.Key.Key_Return)
    await stage.rest()
    yield "44-settings-search-form-chosen"


async def palette(stage: Stage) -> AsyncIterator[str]:
    """34"""
    for text in ("Describe the cart", "Explain the retry policy"):
        await stage.ended(await stage.chat(text, text_turn("Done."), show=False))
    stage.window.new_chat()
    await stage.click("top_search")
    await stage.find("palette")
    yield "34-palette"
    await stage.type("palette_field", "zoom")
    yield "34-palette-typed"
    await stage.type("palette_field", " nothing like it")
    yield "34-palette-no-match"


async def help_promises(stage: Stage) -> AsyncIterator[str]:
    """What Banksman promises"""
    action = stage.window.findChild(QAction, "action_promises")
    assert action is not None
    action.trigger()
    await stage.find("promises_dialog")
    await stage.rest()
    yield "34-promises"
    await stage.type("promises_filter", "secret")
    await stage.rest()
    yield "34-promises-filtered"


async def help_pages(stage: Stage) -> AsyncIterator[str]:
    """The guide, all keys, and the report of a crash"""
    for name, page in (("guide", "guide"), ("shortcuts", "keys")):
        action = stage.window.findChild(QAction, f"action_{name}")
        assert action is not None
        action.trigger()
        await stage.find("help_dialog")
        await stage.rest()
        yield f"34-help-{page}"
        await stage.click("help_close")
    OutputViewer("Report of a crash: read it before you share it", REPORT, stage.window, "Report").open()
    await stage.find("output_viewer")
    await stage.rest()
    yield "34-crash-report"


async def empty_states(stage: Stage) -> AsyncIterator[str]:
    """35"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    for tab in ("Changes", "Todos", "Audit"):
        await stage.show_tab(tab)
        await stage.rest(0.3)
        yield f"35-empty-{tab.lower()}"
    await stage.click("sidebar_search_toggle")
    await stage.type("sidebar_filter", "nothing like it")
    yield "35-empty-filter"


async def zoom_200_new_chat(stage: Stage) -> AsyncIterator[str]:
    """36, a chat that is not begun"""
    stage.window.new_chat()
    yield "36-zoom-200-new-chat"


async def overlay_inspector(stage: Stage) -> AsyncIterator[str]:
    """40"""
    chat = await stage.chat(
        TASK, tool_turn("read_file", file_path="auth/middleware.py"),
        tool_turn("edit_file", file_path="auth/middleware.py", old_string=OLD, new_string=NEW),
        text_turn("Changed."), title="Fix login redirect loop",
    )  # fmt: skip
    await stage.ended(chat)
    stage.window.resize(900, 700)
    await stage.rest()
    await stage.click("top_inspector_toggle")
    await stage.rest(0.3)
    yield "40-overlay-inspector-at-900"


async def close_dialog(stage: Stage) -> AsyncIterator[str]:
    """25, closing while a chat runs"""
    await stage.chat("Speed up the start", text_turn("I measure first.", fault="stall", piece=100))
    await stage.rest(0.3)
    stage.window.close()
    await stage.find("close_dialog")
    yield "25-close-dialog"
    QTest.keyClick(await stage.find("close_dialog"), Qt.Key.Key_Escape)


async def service_form(stage: Stage) -> AsyncIterator[str]:
    """What the environment names, and the form that sets it up, before and after its test"""
    os.environ.update(OPENAI_BASE_URL=stage.address, OPENAI_API_KEY="key-of-the-gateway")
    size = stage.window.size()
    await stage.stop()
    stage.updates.clear()
    await stage.start()
    stage.window.resize(size)
    stage.window.show_settings("providers")
    found, page = await stage.find("settings_providers_found"), await stage.find("settings_providers")
    assert isinstance(page, QScrollArea)
    await stage.rest()
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    assert found.visibleRegion().boundingRect().height() == found.height()
    yield "33-settings-providers-found"
    await stage.click("settings_providers_found_set_up")
    await stage.rest()
    yield "33-settings-service-form"
    await stage.click("settings_providers_new_test")
    await stage.find("settings_providers_new_model_choose")
    await stage.rest()
    yield "33-settings-service-tested"
    await stage.click("settings_providers_new_cancel")
    stage.script("Say: ready…", text_turn("ready"))
    stage.script("Call the tool…", text_turn("I cannot."))
    stage.script("Which colour…", text_turn("Red."))
    await stage.click("settings_providers_test")
    await stage.until(lambda: any(one.tried for one in stage.updates if isinstance(one, EndpointChecked)), "a test")
    await stage.rest()
    yield "33-settings-service-test-of-a-model"


async def panes(stage: Stage) -> AsyncIterator[str]:
    """51, two chats beside each other: one waits, the other is written in"""
    left = await stage.chat(
        "Explain the retry policy",
        text_turn("It tries three times, and waits longer each time."),
        title="Explain retries",
    )
    await stage.ended(left)
    waits = await stage.chat("Tidy the tests", tool_turn("bash", command="npm run test"), title="Tidy the tests")
    await stage.asked(waits)
    stage.window.open_chat(left)
    stage.window.sidebar.chat_action.emit(waits, "beside")
    await stage.card()
    yield "51-panes-card"
    stage.window.page.action_asked.emit("other_pane")
    QTest.keyClicks(stage.window.page.composer.text, "And after that?")
    await stage.rest()
    yield "51-panes-left"
    stage.window.page.action_asked.emit("toggle_inspector")
    await stage.rest()
    yield "51-panes-with-inspector"


async def looks(stage: Stage) -> AsyncIterator[str]:
    """53, compact rows, a wide column and a larger text; the settings of them"""
    for title in ("Describe the cart", "Write the changelog", "Look for dead code"):
        chat = await stage.chat(
            title, tool_turn("write_file", path=f"{len(title)}.md", content="x\n"), text_turn("Done."), title=title
        )
        await stage.ended(chat)
    settings = stage.window.engine.settings
    look = Appearance(density="compact", reading="wide", text_size=14, code_size=15)
    stage.send(SaveSettings(settings=settings.model_copy(update={"appearance": look})))
    await stage.until(lambda: stage.window.engine.settings.appearance == look, "the look")
    await stage.rest(0.6)
    yield "53-looks-compact"
    stage.window.show_settings("appearance")
    await stage.find("settings_appearance_density")
    yield "53-looks-settings"
