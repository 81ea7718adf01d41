"""The rule editor of a card: only whole words of the call, past calls as the engine counts them, and saving."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from desktop.domain.commands import PreviewRule
from desktop.domain.gate.pending import Answer, GrantOffer, ShownCommand
from desktop.domain.updates import CommandFailed
from desktop.ui.gate.cards.kinds.rule_words import past_sentence, words_of
from tests.ui.card_requests import command, drop, past, previewed, simulation, sql
from tests.ui.card_scenes import SESSION, press, resolved

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
BUILD = (("npm", "run", "build"),)


def opened(scene, **fields):
    scene.ask(command(**fields))
    press(scene, "approval_save_rule")


def asked(scene):
    return [sent.tokens for sent in scene.sink.sent if isinstance(sent, PreviewRule)]


def chips(scene):
    return [chip.text() for chip in scene.visible("rule_tokens").findChildren(QLabel)]


@pytest.mark.promise("gate-R18")
def test_opening_asks_for_past_calls_and_cannot_save_before_they_are_known(scene):
    opened(scene)
    assert asked(scene) == [BUILD]
    assert scene.get("rule_preview").text() == "Checking past calls…"
    assert not scene.get("rule_save").isEnabled()
    assert not scene.get("approval_commands").isVisible()
    assert scene.get("approval_evidence").isVisible()


def test_a_preview_shows_what_it_allows_and_lets_save_and_run(scene):
    opened(scene)
    scene.hear([previewed()])
    sentence = scene.get("rule_sentence").text()
    assert sentence.startswith("Allows: npm run build, with anything after it\nDoes not allow: npm run deploy;")
    assert scene.get("rule_preview").text() == "Would have matched 14 past calls: 14 you allowed."
    assert scene.get("rule_preview_list").model().rowCount() == 14
    press(scene, "rule_save")
    answer = Answer(outcome="allow_always", scope="project", tokens=BUILD)
    assert (scene.sink.answers[0].answer, scene.sink.answers[0].digest) == (answer, "ab" * 32)


def test_a_preview_of_other_tokens_is_not_shown(scene):
    opened(scene)
    press(scene, "rule_token_remove")
    scene.hear([previewed()])
    assert asked(scene) == [BUILD, (("npm", "run"),)]
    assert scene.get("rule_preview").text() == "Checking past calls…"
    assert not scene.get("rule_save").isEnabled()


def test_tokens_are_taken_from_the_right_and_added_from_this_command_only(scene):
    opened(scene)
    press(scene, "rule_token_add")
    press(scene, "rule_token_add")
    assert chips(scene) == ["npm", "run", "build", "--", "--minify"]
    assert not [b for b in scene.visible("rule_tokens").children() if b.objectName() == "rule_token_add"]
    for _ in range(5):
        press(scene, "rule_token_remove")
    assert chips(scene) == []
    assert scene.get("rule_problem").text() == "A rule needs at least one word."
    assert not scene.get("rule_save").isEnabled()
    assert asked(scene)[-1] == (("npm",),)


def test_the_reason_why_it_may_not_be_saved_is_said(scene):
    opened(scene)
    scene.hear([previewed(problem="“npm” alone would allow every script.")])
    assert scene.get("rule_problem").text() == "“npm” alone would allow every script."
    assert not scene.get("rule_save").isEnabled()
    assert not scene.get("rule_preview_list").isVisible()


def test_a_declined_call_that_would_match_stands_first_and_must_be_saved_anyway(scene):
    opened(scene)
    calls = [past("npm run build", 1), past("npm run build --prod", 9, "declined")]
    scene.hear([previewed(simulation=simulation(calls))])
    model = scene.get("rule_preview_list").model()
    assert model.index(0, 0).data() == "npm run build --prod"
    assert scene.get("rule_preview").text() == "Would have matched 2 past calls: 1 you allowed, 1 you declined."
    assert scene.get("rule_save").text() == "Save anyway and run"
    press(scene, "rule_save")
    assert scene.sink.answers[0].answer.despite_declined


def test_the_rule_may_be_for_this_chat_only(scene):
    opened(scene)
    scene.hear([previewed()])
    press(scene, "rule_scope_session")
    press(scene, "rule_save")
    assert scene.sink.answers[0].answer.scope == "session"


def test_saving_obeys_the_guard_after_each_change(scene):
    opened(scene)
    scene.hear([previewed()])
    scene.settle()
    scene.seconds.pass_ms(-1)
    QTest.mouseClick(scene.get("rule_save"), LEFT)
    assert not scene.sink.answers
    scene.seconds.pass_ms(1)
    QTest.mouseClick(scene.get("rule_save"), LEFT)
    assert len(scene.sink.answers) == 1


def test_saving_needs_the_evidence_seen_to_its_end(scene):
    long = command().card.blocks[0].model_copy(update={"text": "\n".join(f"echo {n}" for n in range(214))})
    opened(scene, card=command().card.model_copy(update={"blocks": (long,)}))
    scene.hear([previewed()])
    scene.settle()
    assert not scene.get("rule_save").isEnabled()


def test_r_opens_the_editor_and_escape_goes_back_to_the_buttons(scene):
    scene.ask(command())
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_R)
    assert scene.get("rule_editor").isVisible()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return, CONTROL)
    assert not scene.sink.answers
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not scene.get("rule_editor").isVisible()
    assert scene.get("approval_commands").isVisible()
    assert QApplication.focusWidget() is scene.get("approval_card")


def test_chosen_words_are_kept_across_cards(scene):
    scene.ask(command(), command())
    press(scene, "approval_save_rule")
    press(scene, "rule_token_remove")
    press(scene, "tray_next")
    press(scene, "tray_previous")
    press(scene, "approval_save_rule")
    assert chips(scene) == ["npm", "run"]


def test_several_uncovered_commands_make_several_rules(scene):
    tokens = (("make", "all"), ("npm", "run"))
    words = (ShownCommand(words=("make", "all")), ShownCommand(words=("npm", "run", "x")))
    offers = (GrantOffer(scope="once", covers="x"), GrantOffer(scope="project", covers="y", tokens=tokens))
    opened(scene, commands=words, grants=offers)
    scene.hear([previewed(tokens)])
    assert scene.get("rule_save").text() == "Save 2 rules and run"
    press(scene, "rule_save")
    assert scene.sink.answers[0].answer.tokens == tokens


@pytest.mark.parametrize("request_of", [sql, drop, lambda **f: command(**{**f, "irreversible": True})])
def test_no_rule_is_offered_for_sql_or_what_cannot_be_undone(scene, request_of):
    scene.ask(request_of(grants=command().grants))
    for name in ("approval_save_rule", "approval_allow_session", "rule_editor"):
        assert scene.find(name) is None, name


def test_a_failed_preview_is_told_on_the_card(scene):
    opened(scene)
    sent = next(sent for sent in scene.sink.sent if isinstance(sent, PreviewRule))
    scene.hear([CommandFailed(command_id=sent.command_id, code="store", text="The store is busy.")])
    assert scene.get("approval_error").text() == "The store is busy."


def test_requests_that_the_new_rule_decided_are_told(scene, qtbot):
    scene.ask(command(), command(), command())
    covered = [resolved(9 + n, f"inp_{n}", Answer(outcome="allow_always"), reason="rule") for n in (2, 3)]
    with qtbot.waitSignal(scene.tray.covered) as told:
        scene.hear([resolved(8, "inp_1", Answer(outcome="allow_always", scope="project")), *covered])
    assert told.args == [2, "inp_2"]
    assert scene.find("approval_card") is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "There are no past calls to compare with yet."),
        ({"checked": 1}, "Would have matched none of 1 past call."),
        ({"checked": 9, "unknown": 2}, "Would have matched none of 9 past calls. 2 older calls could not be checked."),
        ({"checked": 300, "would_match": 214, "declined": 3},
         "Would have matched 214 past calls, 3 of them you declined."),
        ({"checked": 300, "would_match": 214}, "Would have matched 214 past calls."),
    ],
)  # fmt: skip
def test_past_calls_are_counted_only_where_it_is_known(fields, words):
    empty = simulation([])
    assert past_sentence(empty.model_copy(update={"checked": 0, **fields})) == words


def test_each_prefix_finds_the_command_it_came_from():
    commands = [
        ShownCommand(words=("npm", "run", "a")), ShownCommand(words=("npm", "run", "b")),
        ShownCommand(words=("ls",), state="read"),
    ]  # fmt: skip
    assert words_of((("npm", "run"), ("npm", "run"), ("ls",)), commands) == (
        ("npm", "run", "a"), ("npm", "run", "b"), ("ls",)
    )  # fmt: skip
    assert SESSION
