"""The Permissions & rules page: what is in force, trust, removing and adding, trying a command, the sandbox."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from desktop.domain.gate.rules import AskedKind, AskedLately, Rule, RuleFile, RuleState
from desktop.domain.gate.tool_table import ToolRow
from desktop.domain.updates import CommandFailed, CommandTried, RulesListed, SandboxReported, ToolsListed
from desktop.ui.settings.permissions.rules_list import RulesList
from desktop.ui.settings.permissions.tool_table import ToolTable
from tests.ui.settings_place import Place
from tests.ui.shell_samples import NOW, ago, sandbox

NAME = "settings_permissions"
TEST = Rule(
    id="r-1", decision="allow", kind="command", tokens=("npm", "run", "test"), created_at=ago(days=9), created_by="card"
)
PUSH = Rule(id="r-2", decision="deny", kind="command", tokens=("git", "push"), scope="user", reason="Never from here.")
OLD = Rule(id="r-3", decision="allow", kind="path", glob="docs/**", ops=("write",), created_at=ago(days=90))
EXPIRED = Rule(id="r-4", decision="allow", kind="tool", name="create_lane", expires_at=ago(days=1))
SHARED = Rule(id="r-5", decision="allow", kind="command", tokens=("make", "<b>all"), scope="shared")


def files(*, waiting=()):
    return (
        RuleFile(scope="user", path="/home/robin/.config/banksman/rules.toml", rules=(RuleState(rule=PUSH),)),
        RuleFile(
            scope="project", path="/home/robin/prj_1.toml",
            rules=(
                RuleState(rule=TEST, hits=14, last_used=ago(hours=2)), RuleState(rule=OLD),
                RuleState(rule=EXPIRED, active=False, problem="Expired."),
            ),
        ),
        RuleFile(
            scope="shared", path="/srv/shop-api/.banksman/rules.toml", waiting=waiting, sha256="ab" * 32,
            rules=tuple(RuleState(rule=rule, active=False, problem="Waits for your trust.") for rule in waiting),
        ),
    )  # fmt: skip


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "permissions")
    place.apply(RulesListed(files=files()))
    return place


def test_what_asked_in_a_day_is_told_with_the_rule_that_would_have_answered_it(place):
    assert place.get(f"{NAME}_asked").isHidden()
    kind = AskedKind(tokens=(("npm", "test"),), times=12, covered=13, declined=1)
    place.apply(RulesListed(files=files(), asked=AskedLately(asked=14, kinds=(kind,))))
    assert place.get(f"{NAME}_asked_words").text() == "Asked 14 times in the last 24 hours."
    assert place.get(f"{NAME}_asked_rule").text() == (
        "A rule for “npm test” would have answered 13 of these 14, 1 of which you declined."
    )
    place.get(f"{NAME}_asked_make", QAbstractButton).click()
    assert place.get(f"{NAME}_new_command", QLineEdit).text() == "npm test"
    place.apply(RulesListed(files=files(), asked=AskedLately(asked=1)))
    assert place.get(f"{NAME}_asked_words").text() == "Asked 1 time in the last 24 hours."
    assert place.get(f"{NAME}_asked_make").isHidden()


def rows(place):
    return [(row.chip, row.words, row.note, row.detail) for row in rules(place).rules.rows]


def rules(place):
    return place.get(f"{NAME}_rules", RulesList)


def choose(place, title):
    view = rules(place)
    at = next(i for i, row in enumerate(view.rules.rows) if row.words == title)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.rules.index(at, 0)).center())


def texts(root):
    return [label.text() for label in root.findChildren(QLabel) if label.isVisible()]


def test_the_rules_are_asked_for_each_time_the_page_is_shown(place):
    assert place.sink.kinds() == ["load_rules", "load_tools"]
    place.dialog.show_page("general")
    place.dialog.show_page("permissions")
    assert place.sink.kinds() == ["load_rules", "load_tools"] * 2


def test_each_file_is_listed_with_what_its_rules_are_and_how_they_were_used(place):
    shown = rows(place)
    assert shown[0][1:] == ("Yours, in every project", "", "/home/robin/.config/banksman/rules.toml")
    assert shown[1] == ("Deny", "git push", "", "command · never used")
    assert shown[2][1] == "Yours, in shop-api"
    assert shown[3] == (
        "Allow", "npm run test", "", "command · made from a card, 12 Nov 2026 · used 14 times, last 2 h ago",
    )  # fmt: skip
    assert shown[4][:3] == ("Allow", "docs/**", "unused")
    assert shown[5][:3] == ("Allow", "create_lane", "expired")
    assert len(shown) == 6


def test_a_rule_is_unused_after_sixty_days_without_a_hit(place):
    states = (
        RuleState(rule=TEST, hits=1, last_used=NOW - timedelta(days=60)),
        RuleState(rule=OLD, hits=1, last_used=NOW - timedelta(days=59)),
    )
    place.apply(RulesListed(files=(RuleFile(scope="project", path="p", rules=states),)))
    assert [row[2] for row in rows(place)[1:]] == ["unused", ""]


def test_the_chosen_rule_is_told_in_full(place):
    assert not place.shown(f"{NAME}_rule")
    choose(place, "git push")
    shown = texts(place.get(f"{NAME}_rule"))
    assert {"Deny", "git push", "Never from here.", "never used"} <= set(shown)


def test_an_allow_rule_is_removed_at_once_and_comes_back_on_undo(place):
    choose(place, "npm run test")
    place.click(f"{NAME}_remove")
    command = place.sink.sent[-1]
    assert (command.type, command.rule_id, command.scope) == ("remove_rule", "r-1", "project")
    assert place.text(f"{NAME}_removed") == "Removed: npm run test"
    place.click(f"{NAME}_undo")
    again = place.sink.sent[-1]
    assert again.type == "save_rule"
    assert again.rule == TEST.model_copy(update={"id": ""})
    assert not place.shown(f"{NAME}_undo")


def test_removing_a_deny_rule_asks_once_and_names_the_effect(place):
    choose(place, "git push")
    place.click(f"{NAME}_remove")
    assert place.sink.kinds() == ["load_rules", "load_tools"]
    assert any("no longer refused" in text for text in texts(place.asked(f"{NAME}_remove_dialog")))
    place.click(f"{NAME}_remove_go")
    assert (place.sink.sent[-1].rule_id, place.sink.sent[-1].scope) == ("r-2", "user")


def test_delete_removes_the_chosen_rule(place):
    choose(place, "npm run test")
    QTest.keyClick(rules(place), Qt.Key.Key_Delete)
    assert place.sink.kinds()[-1] == "remove_rule"


def test_what_could_not_be_removed_says_why(place):
    choose(place, "npm run test")
    place.click(f"{NAME}_remove")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="The disk is full."))
    assert place.text(f"{NAME}_problem") == "The disk is full."
    assert not place.shown(f"{NAME}_undo")


def test_the_rules_of_the_repository_cannot_be_removed_here(place):
    place.apply(RulesListed(files=files(waiting=(SHARED,))))
    choose(place, "make <b>all")
    assert not place.shown(f"{NAME}_remove")
    sent = len(place.sink.sent)
    QTest.keyClick(rules(place), Qt.Key.Key_Delete)
    assert len(place.sink.sent) == sent


def test_rules_that_wait_are_listed_and_trusted_for_exactly_that_content(place):
    assert not place.shown(f"{NAME}_trust")
    place.apply(RulesListed(files=files(waiting=(SHARED,))))
    card = place.get(f"{NAME}_trust")
    assert "The repository brings 1 allow rule" in texts(card)
    assert "Allow command: make <b>all" in texts(card)
    assert rows(place)[-1][2] == "waits"
    place.click(f"{NAME}_trust_accept")
    assert (place.sink.sent[-1].type, place.sink.sent[-1].sha256) == ("trust_rules", "ab" * 32)
    place.apply(RulesListed(files=files()))
    assert not card.isVisible()


def test_a_file_that_cannot_be_read_is_named_with_its_fault(place):
    broken = RuleFile(scope="user", path="/home/robin/rules.toml", problem="line 3: expected '='")
    place.apply(RulesListed(files=(broken,)))
    assert "/home/robin/rules.toml: line 3: expected '='" in texts(place.get(f"{NAME}_faults"))


def test_a_command_rule_is_made_of_its_words(place):
    place.click(f"{NAME}_add")
    QTest.keyClicks(place.get(f"{NAME}_new_command", QLineEdit), "npm run 'build all'")
    assert place.get(f"{NAME}_new_words").accessibleName() == "Commands that begin with npm run build all"
    place.click(f"{NAME}_new_save")
    rule = place.sink.sent[-1].rule
    assert (rule.tokens, rule.decision, rule.scope) == (("npm", "run", "build all"), "allow", "project")
    assert (rule.id, rule.created_by) == ("", "settings")
    place.apply(RulesListed(files=files()))
    assert not place.shown(f"{NAME}_new_command")


def test_a_rule_that_is_refused_keeps_the_form_open_with_the_reason(place):
    place.click(f"{NAME}_add")
    place.click(f"{NAME}_new_save")
    assert "something that it is about" in place.text(f"{NAME}_new_command_problem")
    place.get(f"{NAME}_new_command", QLineEdit).setText("bash -c")
    place.click(f"{NAME}_new_save")
    refused = "The rule 'bash -c' was not saved: it would allow everything."
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text=refused))
    assert place.text(f"{NAME}_new_command_problem") == refused
    assert place.get(f"{NAME}_new_save", QAbstractButton).isEnabled()
    place.get(f"{NAME}_new_command", QLineEdit).setText("npm 'run")
    assert "not closed" in place.text(f"{NAME}_new_command_problem")


def test_rules_about_files_and_tools_have_fields_of_their_own(place):
    place.click(f"{NAME}_add")
    place.click(f"{NAME}_new_kind_path")
    assert not place.shown(f"{NAME}_new_command")
    place.get(f"{NAME}_new_path", QLineEdit).setText("docs/**")
    place.click(f"{NAME}_new_ops_write")
    place.click(f"{NAME}_new_decision_ask")
    place.click(f"{NAME}_new_scope_user")
    place.click(f"{NAME}_new_save")
    rule = place.sink.sent[-1].rule
    assert (rule.kind, rule.glob, rule.ops, rule.decision, rule.scope) == ("path", "docs/**", ("write",), "ask", "user")
    place.apply(RulesListed(files=files()))
    place.click(f"{NAME}_add")
    place.click(f"{NAME}_new_kind_tool")
    place.get(f"{NAME}_new_tool", QLineEdit).setText("create_lane")
    place.click(f"{NAME}_new_save")
    assert (place.sink.sent[-1].rule.kind, place.sink.sent[-1].rule.name) == ("tool", "create_lane")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("allow", "Would run unasked"), ("ask", "Would ask"), ("deny", "Would be refused")],
)  # fmt: skip
def test_a_command_is_tried_and_nothing_runs(place, verdict, words):
    place.write(f"{NAME}_try", "git push --force")
    assert (place.sink.sent[-1].type, place.sink.sent[-1].text) == ("try_command", "git push --force")
    place.apply(CommandTried(text="git push --force", verdict=verdict, reason="It rewrites history.", rule="r-2"))
    assert place.text(f"{NAME}_try_verdict") == words
    assert place.text(f"{NAME}_try_reason") == "It rewrites history."
    assert place.text(f"{NAME}_try_rule") == "Your rule: Deny command: git push"
    place.apply(CommandTried(text="git push --force", verdict=verdict, reason="", rule="mode.edit"))
    assert place.text(f"{NAME}_try_rule") == "Gate rule: mode.edit"
    QTest.keyClicks(place.get(f"{NAME}_try", QLineEdit), "x")
    assert not place.shown(f"{NAME}_try_verdict")


def test_the_sandbox_is_listed_and_tried_again(place):
    place.apply(SandboxReported(report=sandbox("limited")))
    probes = place.get(f"{NAME}_sandbox_report").findChildren(QWidget, "sandbox_probe")
    assert [row.property("item_id") for row in probes] == ["tcp", "mount", "write_home", "write_sibling"]
    place.click(f"{NAME}_sandbox_again")
    assert place.sink.kinds()[-1] == "probe_sandbox"
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="No shell."))
    assert place.get(f"{NAME}_sandbox_again", QAbstractButton).isEnabled()


def test_every_control_has_a_name_of_the_page(place):
    place.click(f"{NAME}_add")
    page = place.get(NAME)
    corner = page.findChild(ToolTable).findChildren(QAbstractButton)
    for control in page.findChildren(QAbstractButton) + page.findChildren(QLineEdit):
        if control in corner:
            continue
        assert control.objectName().startswith(NAME), control
        assert control.accessibleName() or control.text(), control.objectName()
    model = rules(place).rules
    assert model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Deny, git push, command · never used"


def test_a_table_says_what_each_tool_may_do_in_each_mode(place):
    shell = ToolRow(
        tool="bash",
        category="bash",
        plan="refused",
        edit="ask",
        hosted="ask",
        full_auto="review",
        varies="Reads run.",
        varies_in_plan=True,
    )
    asks = ToolRow(tool="ask_user", category="read", plan="person", edit="person", hosted="person", full_auto="person")
    place.apply(ToolsListed(rows=(asks, shell)))
    table = place.get(f"{NAME}_tools", ToolTable)
    words = [[table.model().index(row, column).data() for column in range(5)] for row in range(2)]
    assert words == [["ask_user", *["asks you"] * 4], ["bash", "—*", "asks*", "asks*", "runs, reviewed*"]]
    assert table.viewport().height() >= table.rowViewportPosition(1) + table.rowHeight(1)
    table.setCurrentIndex(table.model().index(1, 0))
    assert place.get(f"{NAME}_tools_varies", QLabel).text() == "bash: Reads run."
    table.setCurrentIndex(table.model().index(0, 0))
    assert not place.get(f"{NAME}_tools_varies", QLabel).isVisible()
