"""Which requests one look may answer."""

import pytest

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.gate.pending import ApprovalRequest, GrantOffer, NetworkOffer
from desktop.domain.inbox.alike import alike_key, may_stand_together
from tests.domain.inbox.test_ranking import QUESTION, approval

ONCE = (GrantOffer(scope="once", covers="this call"),)


def a_run(lane: str = "lane/one", **fields: object) -> ApprovalRequest:
    """A command of medium risk."""
    return approval(**{"lane": lane, "grants": ONCE, "risk": "medium", "undoable": "partly", **fields})


def test_requests_that_differ_in_their_lane_alone_are_alike() -> None:
    one = a_run()
    wider = (*ONCE, GrantOffer(scope="session", covers="in lane/two"))
    other = a_run("lane/two", digest="cd" * 32, head="f" * 40, call_id="call_2", grants=wider, report_id="sbx-2")
    assert alike_key(one) == alike_key(other) != ""


def test_the_network_that_is_offered_is_the_same_where_its_hosts_are() -> None:
    offers = [NetworkOffer(hosts=(host,), edited_input={}, digest=host) for host in ("a.org", "b.org")]
    same = offers[0].model_copy(update={"digest": "other"})
    one = alike_key(a_run(network_offer=offers[0]))
    assert one == alike_key(a_run("lane/two", network_offer=same))
    assert one != alike_key(a_run("lane/two", network_offer=offers[1]))


@pytest.mark.parametrize(
    "fields",
    [
        {"card": Card(title="Run it", blocks=(CodeBlock(language="bash", text="ls"),))},
        {"arguments": {"command": "npm test"}},
        {"sandbox": "limited"},
        {"network": "hosts"},
        {"reason": "Another rule."},
        {"source": "The agent says something else."},
    ],
)
def test_any_other_difference_keeps_them_apart(fields: dict[str, object]) -> None:
    assert alike_key(a_run()) != alike_key(a_run(**fields)) != ""


@pytest.mark.promise("gate-N4")
@pytest.mark.parametrize(
    "fields",
    [
        {"risk": "high"},
        {"risk": "irreversible"},
        {"irreversible": True},
        {"undoable": "no"},
        {"tainted": ("a page",)},
        {"edited_from": "ab" * 32},
        {"lane": ""},
        {"grants": ()},
    ],
)
def test_high_risk_and_what_nobody_can_take_back_always_stand_alone(fields: dict[str, object]) -> None:
    request = a_run(**fields)
    assert not may_stand_together(request)
    assert alike_key(request) == ""


def test_a_question_stands_alone() -> None:
    assert alike_key(QUESTION) == ""
