"""What an agent is told when it asks what a pull request waits for (tools 9)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.rounds.book import OwnPull, ResolutionBook
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.pulls.pull_request import Annotation, Check, Comment, ReviewThread, WorkflowJob
from desktop.domain.rounds.inventory import availability
from desktop.domain.rounds.items import IssueItem
from desktop.tools.inventory_calls import ToldInventory
from desktop.tools.untrusted import forge_source

if TYPE_CHECKING:
    from desktop.services.github.client import GitHubClient

MOST_CHECKS, MOST_ANNOTATIONS, COMMENT_CHARS = 20, 10, 2_000


class InventoryTeller:
    """Engine thread only."""

    def __init__(self, ground: Ground, book: ResolutionBook) -> None:
        self._ground = ground
        self._book = book

    async def for_chat(self, session: Session, wanted: str) -> ToldInventory:
        """The request of the chat's lane as it stands now. `wanted`: its number or id, "" for whichever it is.

        Raises:
            BanksmanError: it has none, it is another one, or GitHub cannot be asked.
        """
        lane = self._ground.lane(session.state.lane_id)
        snapshot = await self._book.fresh(lane.id)
        if snapshot.problem is not None:
            raise CommandError("not_told", snapshot.problem.text)
        own = self._book.own(lane.id)
        if wanted not in ("", str(own.pull.number), own.pull.id):
            raise CommandError("other_pull", f"This lane's pull request is #{own.pull.number}.")
        items = self._book.items(own.key)
        place = await self._book.pulls.place(lane)
        details = await _details(place.client, own.snapshot.failing)
        text = "\n".join(_text(own, items, details))
        rows = tuple((item.type, item.headline, item.state) for item in items if item.state != "fixed")
        source = forge_source(own.pull.repository.slug, own.pull.number)
        return ToldInventory(number=own.pull.number, source=source, about=_about(own, items), text=text, rows=rows)


def _about(own: OwnPull, items: Sequence[IssueItem]) -> str:
    found, pull = availability(own.snapshot, items), own.pull
    checks = "can be fixed now" if found.checks else found.why_checks
    comments = "can be worked on now" if found.comments else found.why_comments
    return (
        f"Pull request #{pull.number} is {pull.state}, head {pull.head_oid[:7]}, mergeable: {pull.mergeable}.\n"
        f"Failing checks: {_number(found.failing)}, pending: {_number(found.pending)}; {checks}\n"
        f"Open threads: {_number(found.open_threads)}, new comments: {_number(found.new_comments)}; {comments}"
    )


def _number(count: int | None) -> str:
    return "not known" if count is None else str(count)


def _text(own: OwnPull, items: Sequence[IssueItem], details: dict[int, list[str]]) -> Iterator[str]:
    known = {item.id: item for item in items}
    failing = own.snapshot.failing[:MOST_CHECKS]
    if failing:
        yield "Failing checks:"
    for check in failing:
        workflow = f", workflow {check.workflow}" if check.workflow else ""
        yield f"- {check.name}: {check.conclusion}{workflow}. {check.title}".rstrip(". ")
        yield from details.get(check.id, [])
    if own.snapshot.open_threads:
        yield "Unresolved threads:"
    for thread in own.snapshot.open_threads:
        yield from _thread(thread, known.get(f"thread:{thread.id}"))
    comments = [one for one in own.snapshot.comments if (item := known.get(f"comment:{one.id}")) and _wanted(item)]
    if comments:
        yield "Comments:"
    for comment in comments:
        yield from _comment(comment, f"- comment {comment.id}", known.get(f"comment:{comment.id}"))


def _wanted(item: IssueItem) -> bool:
    return item.state not in ("fixed", "dismissed")


def _thread(thread: ReviewThread, item: IssueItem | None) -> Iterator[str]:
    place = f"{thread.path}:{thread.line}" if thread.line else thread.path
    yield f"- thread {thread.id} on {place}{_state(item)}"
    for comment in thread.comments:
        yield from _comment(comment, "  -", None)


def _comment(comment: Comment, head: str, item: IssueItem | None) -> Iterator[str]:
    body = comment.body if len(comment.body) <= COMMENT_CHARS else comment.body[:COMMENT_CHARS] + " […]"
    lines = body.strip().splitlines() or [""]
    yield f"{head} {comment.author.login or 'somebody'}{_state(item)}: {lines[0]}"
    yield from (f"    {line}" for line in lines[1:])


def _state(item: IssueItem | None) -> str:
    if item is None:
        return ""
    severity = f", severity {item.severity}" if item.severity != "none" else ""
    return f" ({item.state.replace('_', ' ')}{severity}, from {item.source})"


async def _details(client: "GitHubClient", failing: Sequence[Check]) -> dict[int, list[str]]:
    """Jobs, steps and annotations of failing checks; what cannot be told is left out."""
    jobs: dict[int, tuple[WorkflowJob, ...]] = {}
    found: dict[int, list[str]] = {}
    for check in failing[:MOST_CHECKS]:
        try:
            if check.run_id and check.run_id not in jobs:
                jobs[check.run_id] = (await client.checks.jobs(check.run_id)).items
            notes = (await client.checks.annotations(check.id)).items if check.annotations else ()
        except BanksmanError:
            continue
        found[check.id] = [*_jobs(check, jobs.get(check.run_id, ())), *_notes(notes)]
    return found


def _jobs(check: Check, jobs: Sequence[WorkflowJob]) -> Iterator[str]:
    for job in jobs:
        if check.job_id in (0, job.id):
            bad = [step.name for step in job.steps if step.conclusion in ("failure", "timed_out", "cancelled")]
            yield f"  run {check.run_id}, job {job.name}" + (f", failed at: {', '.join(bad)}" if bad else "")


def _notes(notes: Sequence[Annotation]) -> Iterator[str]:
    for note in notes[:MOST_ANNOTATIONS]:
        yield f"  {note.level} {note.path}:{note.start_line}: {' '.join(f'{note.title} {note.message}'.split())[:500]}"
    if len(notes) > MOST_ANNOTATIONS:
        yield f"  ({len(notes) - MOST_ANNOTATIONS} more annotations)"
