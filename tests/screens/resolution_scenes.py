"""Scenes of what a pull request waits for, and of rounds of work on it."""

from collections.abc import AsyncIterator

from desktop.domain.rounds.updates import ResolutionPreview, RoundChanged
from desktop.language import tr
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.rounds.issue_rows import IssueFilter
from desktop.ui.rounds.issues import IssuesPage
from desktop.ui.rounds.resolve import ResolveDialog
from desktop.ui.window.inspector import Inspector
from tests.fakes.fake_model_api import text_turn
from tests.fakes.github.control import PullControl
from tests.screens.pr_scenes import Forge
from tests.screens.pr_scenes import _reviewed as reviewed
from tests.screens.stage import Stage


def _page(stage: Stage) -> IssuesPage:
    inspector = stage.shown("inspector")
    assert isinstance(inspector, Inspector)
    return inspector.of(PullPanel).pages.of(IssuesPage)


async def _opened(stage: Stage) -> tuple[Forge, PullControl, IssuesPage]:
    """The Issues page of a request with a failing check, threads and a comment; nothing runs any more."""
    forge, pull = await reviewed(stage)
    for check in list(forge.repo.value.checks.values()):
        if check.conclusion is None:
            forge.repo.finish(check)
    panel = await forge.shown(lambda found: len(found.known) == 7 and not found.pending)
    panel.show_page("issues")
    page = _page(stage)
    await stage.until(
        lambda: page._shown.fold.inventory is not None and page._shown.fold.inventory.items, "the inventory"
    )
    await stage.rest(0.3)
    return forge, pull, page


async def issues(stage: Stage) -> AsyncIterator[str]:
    """85"""
    forge, _pull, page = await _opened(stage)
    page.items.list.step(1)
    await stage.rest(0.2)
    yield "85-issues"
    await stage.click("issue_ignore")
    await stage.type("issue_ignore_reason", "The cookie is the browser's own")
    yield "85-issue-ignore"
    await stage.click("issue_ignore_go")
    page.items.set_filter(IssueFilter(state=""))
    await stage.rest(0.4)
    yield "85-issues-all"
    page.items.set_filter(IssueFilter(state="fixed"))
    await stage.rest(0.2)
    yield "85-issues-filtered"
    await stage.click("issues_settings")
    await stage.find("pipeline_dialog")
    await stage.rest(0.2)
    yield "85-pipeline"
    await stage.click("pipeline_dialog_cancel")
    forge.close()


async def resolve(stage: Stage) -> AsyncIterator[str]:
    """86"""
    forge, _pull, page = await _opened(stage)
    page._shown.fix_asked.emit("both", ())
    dialog = await stage.find("resolve_dialog")
    assert isinstance(dialog, ResolveDialog)
    await stage.until(dialog.go.isEnabled, "the prompt")
    await stage.rest(0.2)
    yield "86-resolve"
    await stage.type("resolve_instructions", "Keep the public functions as they are.")
    await stage.until(dialog.go.isEnabled, "the prompt with instructions")
    dialog.prompt.verticalScrollBar().setValue(dialog.prompt.verticalScrollBar().maximum())
    await stage.rest(0.2)
    yield "86-resolve-instructions"
    prompt = [update.prompt for update in stage.updates if isinstance(update, ResolutionPreview)][-1]
    stage.script(prompt, text_turn("I looked at both, and I need a decision before I change the redirect."))
    await stage.click("resolve_launch")
    await stage.until(
        lambda: any(isinstance(one, RoundChanged) and one.run.state == "polling" for one in stage.updates),
        "the end of the round's chat",
    )
    page.show_view("rounds")
    await stage.click("toast_close")
    await stage.rest(0.4)
    yield "86-rounds"
    forge.close()


async def resolve_refused(stage: Stage) -> AsyncIterator[str]:
    """87"""
    forge, pull = await reviewed(stage)
    panel = await forge.shown(lambda found: len(found.known) == 7)
    panel.show_page("issues")
    _page(stage)._shown.fix_asked.emit("checks", ())
    dialog = await stage.find("resolve_dialog")
    assert isinstance(dialog, ResolveDialog)
    working = tr("Working out the prompt…")
    await stage.until(lambda: dialog._state.text() not in ("", working), "the refusal")
    await stage.rest(0.2)
    yield "87-resolve-waits"
    await stage.click("resolve_cancel")
    pull.merge()
    forge.close()


async def issues_nothing(stage: Stage) -> AsyncIterator[str]:
    """88"""
    forge = Forge(stage)
    await forge.sign_in()
    await forge.work()
    pull = forge.open()
    forge.repo.check(pull.head_sha, "tests")
    panel = await forge.shown(lambda found: len(found.known) == 7)
    panel.show_page("issues")
    await stage.rest(0.4)
    yield "88-issues-nothing"
    forge.close()
