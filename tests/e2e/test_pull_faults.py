"""What the PR tab says when GitHub fails: the engine's own words and one way on, with and without an earlier look."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import SessionSummary
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.pulls.commands import RefreshPullRequest
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import SessionOpened, SessionsChanged
from desktop.services.github.pace import ExchangeLimits, Pace
from desktop.ui.core.requests import Requests
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.window.build import PANELS
from desktop.ui.window.inspector import Inspector
from tests.agent.pr_rig import PullRig, pull_rig, signed_in
from tests.agent.rig import folders_below
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.github.wire import Fault
from tests.ui.card_scenes import NOW, Sink

pytestmark = [pytest.mark.asyncio, pytest.mark.qt_log_ignore("This plugin does not support")]
ONCE = Pace(retry_s=(), write_every_s=0.0, settle_s=0.0, limits=ExchangeLimits(total_s=3.0))
AGAIN, CONNECT, SETTINGS, LATER = "Try again", "Connect GitHub…", "GitHub settings…", "Try again at "
FAULTS: tuple[tuple[Fault, str, tuple[str, ...]], ...] = (
    (faults.offline(), "Offline", (AGAIN,)),
    (faults.missing_right(), "A right is missing. This account may not do that", (CONNECT, AGAIN)),
    (faults.refused(404, "Not Found"), "Not found, or this token cannot see it.", (SETTINGS, AGAIN)),
    (faults.refused(409, "Git Repository is empty."), "Something changed meanwhile. GitHub refuses", (AGAIN,)),
    (faults.refused(422, "Validation Failed"), "GitHub refused this. GitHub refuses it: Validation", (AGAIN,)),
    (faults.server_error(502), "GitHub failed. GitHub has a fault just now (status 502).", (AGAIN,)),
    (faults.truncated(), "GitHub answered something unexpected. The answer of", (AGAIN,)),
    (faults.secondary_limit(600), "GitHub asks to wait until ", (LATER,)),
    (faults.bad_credentials(), "The token is not accepted. Sign in again.", (CONNECT,)),
)

SLOW = (faults.slow(20), "Offline", (AGAIN,))


class Tab:
    """The inspector of a window, at the lane's request; the engine tells it what it tells all windows."""

    def __init__(self, qtbot: QtBot, pulls: PullRig) -> None:
        self.pulls, self.sink, self.asked = pulls, Sink(), []
        self.requests = Requests(self.sink)
        self.inspector = Inspector(PANELS, self.requests, pulls.clock.now)
        qtbot.addWidget(self.inspector)
        self.inspector.resize(480, 900)
        with qtbot.waitExposed(self.inspector):
            self.inspector.show()
        chat = SessionSummary(
            session_id=new_session_id(), title="Fix", mode=PermissionMode.EDIT, lane_id=pulls.lane.id, created_at=NOW,
            last_activity_at=NOW,
        )  # fmt: skip
        self.requests.deliver(
            [SessionsChanged(sessions=(chat,)), LanesChanged(lanes=(pulls.lane,))], self.inspector.hearing
        )
        self.inspector.show_session(chat.session_id)
        self.requests.deliver([SessionOpened(session_id=chat.session_id, envelopes=())], self.inspector.hearing)
        self.inspector.show_tab("PR")
        self.inspector.of(PullPanel).shown.act_asked.connect(self.asked.append)

    async def look(self) -> None:
        """GitHub is asked, and the tab told."""
        told = len(self.pulls.rig.updates)
        await self.pulls.look()
        new = self.pulls.rig.updates[told:]
        self.requests.deliver(
            [update for update in new if isinstance(update, PullRequestChanged)], self.inspector.hearing
        )

    def says(self) -> str:
        """All words of the tab."""
        labels = self.inspector.of(PullPanel).findChildren(QLabel)
        return " ".join(one.text() for one in labels if one.isVisible() and one.text())

    def ways(self) -> dict[str, QPushButton]:
        """The buttons that lead on from a failure, by their words."""
        names = ("pr_try_again", "pr_connect", "pr_problem_again")
        found = [one for one in self.inspector.of(PullPanel).findChildren(QPushButton) if one.objectName() in names]
        return {LATER if LATER in one.text() else one.text(): one for one in found if one.isVisible()}

    def takes(self, words: str) -> bool:
        """Whether pressing that button does what it says."""
        if words == LATER:
            return not self.ways()[words].isEnabled()
        refreshed, acts = len(self._refreshed()), len(self.asked)
        QTest.mouseClick(self.ways()[words], Qt.MouseButton.LeftButton)
        if words in (CONNECT, SETTINGS):
            return self.asked[acts:] == ["connect"]
        return len(self._refreshed()) == refreshed + 1

    def _refreshed(self) -> list[RefreshPullRequest]:
        return [one for one in self.sink.sent if isinstance(one, RefreshPullRequest)]


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    rig = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, pace=ONCE)
    yield rig
    await rig.rig.engine.stop()


async def test_each_fault_has_its_words_and_a_way_on_with_and_without_an_earlier_look(
    pulls: PullRig, github: FakeGitHub, qtbot: QtBot
) -> None:
    pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch, title="Fix three")
    tab = Tab(qtbot, pulls)
    for known in (False, True):
        for fault, words, ways in FAULTS if known else (SLOW, *FAULTS):
            pulls.clock.ahead += timedelta(minutes=20)
            pull.change(body=f"As {fault.name} came, {known}")  # so that it is not answered as unchanged
            github.fail(fault, on="GET /repos/octo/shop/pulls*", times=None)
            await tab.look()
            github.heal()
            assert words in tab.says(), (known, fault.name)
            assert " ," not in tab.says(), "whole sentences"
            offered = ways if not known else ways[:1]
            assert tuple(tab.ways()) == offered, (known, fault.name)
            assert all(tab.takes(way) for way in offered), (known, fault.name)
            assert ("Fix three #1" in tab.says()) == known, "what was known stays"
        await signed_in(pulls.rig, github)
        await tab.look()
        assert "Fix three #1" in tab.says()
        assert not tab.ways()
