"""Scenes of the settings: rules, what the repository brings, databases."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QTableView, QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import SaveRule
from desktop.domain.gate.rules import AskedKind, AskedLately, Rule
from desktop.domain.updates import RulesListed, SandboxReported
from desktop.ui.settings.permissions.rules_list import RulesList
from tests.screens.sandbox_scenes import LIMITED
from tests.screens.stage import Stage

DATABASES = (
    DatabaseConnection(name="shop_lane", dialect="sqlite", path="app.db"),
    DatabaseConnection(
        name="shop_live", dialect="postgres", host="db.example.com", database="shop", user="agent", production=True,
        read_only=True,
    ),
)  # fmt: skip
_RULES = (
    Rule(id="", decision="deny", kind="command", tokens=("git", "push"), scope="user", reason="I push by hand."),
    Rule(id="", decision="ask", kind="path", glob="migrations/**", ops=("write",), scope="user"),
    Rule(id="", decision="allow", kind="command", tokens=("npm", "run", "test"), scope="project"),
    Rule(id="", decision="allow", kind="path", glob="docs/**", ops=("write",), scope="project"),
    Rule(id="", decision="allow", kind="tool", name="create_lane", scope="project"),
)
_SHARED = """
[[rule]]
id = "r-a1"
decision = "allow"
kind = "command"
tokens = ["python3", "-m", "unittest"]
match = ["python3 -m unittest"]
not_match = ["python3 -m http.server"]

[[rule]]
id = "r-a2"
decision = "allow"
kind = "path"
glob = "docs/**"
ops = ["write"]

[[rule]]
id = "r-a3"
decision = "deny"
kind = "command"
tokens = ["git", "push", "--force"]
"""


async def _rules(stage: Stage) -> RulesList:
    for days, rule in zip((80, 20, 9, 3, 0), _RULES, strict=True):
        stage.clock.back(days=days)
        stage.send(SaveRule(rule=rule.model_copy(update={"created_by": "settings"})))
        wanted = {rule.text}
        await stage.until(
            lambda wanted=wanted: wanted <= {s.rule.text for f in stage.window.engine.rules or () for s in f.rules},
            rule.text,
        )  # fmt: skip
    stage.clock.back()
    await stage.until(lambda: stage.window.engine.sandbox is not None, "the first report")
    stage.window.apply_updates([SandboxReported(report=LIMITED)])
    return await _page(stage)


async def _page(stage: Stage) -> RulesList:
    stage.window.show_settings("permissions")
    view = await stage.find("settings_permissions_rules")
    assert isinstance(view, RulesList)
    return view


async def _scroll(stage: Stage, to: str) -> None:
    page = await stage.find("settings_permissions")
    assert isinstance(page, QScrollArea)
    target = await stage.until(lambda: page.findChild(QWidget, to), to)
    page.verticalScrollBar().setValue(target.mapTo(page.widget(), target.rect().topLeft()).y() - 60)
    await stage.rest()


async def settings_rules(stage: Stage) -> AsyncIterator[str]:
    """33, rules, one chosen, a command tried, the sandbox"""
    view = await _rules(stage)
    at = next(i for i, row in enumerate(view.rules.rows) if row.words == "git push")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.rules.index(at, 0)).center())
    await stage.rest()
    yield "33-settings-rules"
    await stage.type("settings_permissions_try", "git push --force origin main")
    await stage.click("settings_permissions_try_go")
    await stage.find("settings_permissions_try_verdict")
    await _scroll(stage, "settings_permissions_try")
    yield "33-settings-rules-try"
    kind = AskedKind(tokens=(("npm", "test"),), times=12, covered=13, declined=1)
    files = stage.window.engine.rules or ()
    stage.window.apply_updates([RulesListed(files=files, asked=AskedLately(asked=14, kinds=(kind,)))])
    page = await stage.find("settings_permissions")
    assert isinstance(page, QScrollArea)
    page.verticalScrollBar().setValue(0)
    await stage.rest()
    yield "33-settings-rules-asked"
    await _scroll(stage, "settings_permissions_sandbox_report")
    yield "33-settings-rules-sandbox"
    table = await stage.find("settings_permissions_tools")
    assert isinstance(table, QTableView)
    table.setCurrentIndex(table.model().index(2, 0))
    await _scroll(stage, "settings_permissions_tools_varies")
    yield "33-settings-rules-tools"


async def settings_rule_form(stage: Stage) -> AsyncIterator[str]:
    """33, a rule that is refused"""
    await _rules(stage)
    await stage.click("settings_permissions_add")
    await stage.type("settings_permissions_new_command", "bash -c 'rm -rf build'")
    await stage.click("settings_permissions_new_save")
    await stage.until(lambda: stage.shown("settings_permissions_new_command_problem"), "the reason")
    yield "33-settings-rule-form"


async def settings_rule_edit(stage: Stage) -> AsyncIterator[str]:
    """33, a rule that is changed"""
    view = await _rules(stage)
    at = next(row for row in range(view.rules.rowCount()) if view.rules.rows[row].words == "npm run test")
    view.setCurrentIndex(view.rules.index(at, 0))
    yield "33-settings-rule-chosen"
    await stage.click("settings_permissions_edit")
    yield "33-settings-rule-edit"


async def settings_rules_trust(stage: Stage) -> AsyncIterator[str]:
    """33, the repository brings rules"""
    project = stage.window.engine.project
    assert project is not None
    folder = stage.home / "work" / project.name / ".banksman"
    folder.mkdir()
    (folder / "rules.toml").write_text(_SHARED, encoding="utf-8")
    await _page(stage)
    await stage.find("settings_permissions_trust")
    yield "33-settings-rules-trust"


async def settings_databases(stage: Stage) -> AsyncIterator[str]:
    """33, databases: one tried, one edited, one added"""
    project = stage.window.engine.project
    assert project is not None
    with closing(sqlite3.connect(stage.home / "work" / project.name / "app.db")) as database:
        database.execute("CREATE TABLE products (id, name)")
        database.commit()
    stage.window.show_settings("databases")
    await stage.click("settings_databases_test")
    await stage.until(
        lambda: (button := stage.shown("settings_databases_test")) is not None and button.isEnabled(), "the test"
    )
    yield "33-settings-databases"
    page = await stage.find("settings_databases")
    cards = page.findChildren(QWidget, "settings_databases_connection")
    edit = cards[-1].findChild(QWidget, "settings_databases_edit")
    QTest.mouseClick(edit, Qt.MouseButton.LeftButton)
    await stage.rest()
    yield "33-settings-databases-edit"
    QTest.mouseClick(edit, Qt.MouseButton.LeftButton)
    await stage.click("settings_databases_add")
    await stage.click("settings_databases_new_dialect_postgres")
    await stage.click("settings_databases_new_add")
    await stage.rest()
    yield "33-settings-database-add"
