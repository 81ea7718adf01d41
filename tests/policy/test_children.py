"""What the gate says of sub-agents: how many there may be, and which commands one may run."""

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode, Verdict
from desktop.policy.children import ChildrenFacts
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from desktop.policy.lazy import assess_shell
from desktop.policy.shell.read.world import TextWorld


def begins(**facts: int | bool) -> CallFacts:
    return CallFacts(
        tool="task", category=Category.READ, assessment=Assessment(), children=ChildrenFacts.model_validate(facts)
    )


def bash(command: str) -> CallFacts:
    verdict = assess_shell(command, TextWorld())
    return CallFacts(
        tool="bash", category=Category.BASH, assessment=Assessment(category=Category.BASH), command=verdict
    )


@pytest.mark.parametrize("mode", list(PermissionMode))
@pytest.mark.parametrize(
    ("facts", "verdict", "rule"),
    [
        ({}, Verdict.ALLOW, "mode"),
        ({"of_turn": 3}, Verdict.ALLOW, "mode"),
        ({"of_turn": 4}, Verdict.ASK, "many_children"),
        ({"of_turn": 4, "more_allowed": True}, Verdict.ALLOW, "mode"),
        ({"of_turn": 16, "more_allowed": True}, Verdict.DENY, "children_budget"),
        ({"of_chat": 64}, Verdict.DENY, "children_budget"),
    ],
)
@pytest.mark.promise("memory-SU5")
def test_a_turn_and_a_chat_begin_so_many_and_no_more(
    mode: PermissionMode, facts: dict[str, int | bool], verdict: Verdict, rule: str
) -> None:
    decision = decide(begins(**facts), SessionGateFacts(mode=mode))
    assert (decision.verdict, decision.rule) == (verdict, rule)


def test_no_grant_lifts_the_question_about_many() -> None:
    call = begins(of_turn=4, tokens=180_400)
    call = call.model_copy(update={"assessment": Assessment(remember_key="k")})
    decision = decide(call, SessionGateFacts(mode=PermissionMode.EDIT, session_grants=frozenset({"k"})))
    assert decision.verdict is Verdict.ASK
    assert decision.reason == "This agent wants to start more sub-agents (4 so far, about 180k tokens)."


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("git log -3", True),
        ("git log && git log --oneline", True),
        ("git status", False),
        ("git log; rm -r x", False),
        ("GIT_PAGER=x git log", False),
        ("", False),
    ],
)
def test_an_agent_runs_only_commands_that_its_file_lists(command: str, allowed: bool) -> None:
    state = SessionGateFacts(mode=PermissionMode.FULL_AUTO, bash_words=("git log",))
    decision = decide(bash(command), state)
    assert (decision.rule != "agent_tools") is allowed
    assert allowed or decision.verdict is Verdict.DENY


def test_a_chat_without_an_agents_file_is_not_held_to_words() -> None:
    assert decide(bash("make"), SessionGateFacts(mode=PermissionMode.EDIT)).rule == "mode"
