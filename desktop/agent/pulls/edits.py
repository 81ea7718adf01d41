"""PullEdits: a person's own word on a request as a whole: comments, reviews, its text and state (lanes-P31,
lanes-P34)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from desktop.agent.core.ground import Ground
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.actions import found_again, known_comments, not_known
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.here import PullHere, pull_here, recorded
from desktop.domain.core.errors import CommandError
from desktop.domain.core.event_base import By
from desktop.domain.github.values import GitHubError
from desktop.domain.proofs.block import block_in, block_sha256, with_block
from desktop.domain.pulls.pull_request import Comment, PullRequest
from desktop.services.git.run import Git
from desktop.services.history.tree_fit import merge_texts
from desktop.services.pulls.text import MAX_BODY, MAX_TITLE, checked_text

CHANGED = "The text was changed on GitHub meanwhile, and both changes do not go together. Look at it and edit again."
BLOCK_CHANGED = "The part with the proofs was changed since. Edit the text of the request by hand."
MOVED = "The branch changed while you looked. Refresh."
_STATE_WORDS = {"closed": "closed", "open": "open again", "ready": "ready for review", "draft": "a draft again"}
Verdict = Literal["approve", "request_changes", "comment"]


class PullEdits:
    """All on the engine thread. A write whose answer was lost is looked up before anything is said of it. `done` is
    called with the lane when something may look different.

    Every method raises CommandError or GitHubError with the sentence to show.
    """

    def __init__(self, ground: Ground, log: ProjectLog, book: PullBook, done: Callable[[str], None]) -> None:
        self._ground = ground
        self._log = log
        self._book, self._done = book, done

    async def comment(self, lane_id: str, body: str) -> Comment:
        """Say something on the request as a whole."""
        here = await pull_here(self._book, lane_id)
        text, known = checked_text(body), known_comments(self._book, lane_id)
        async with recorded(self._log, here, "comment", chars=len(text)) as op:
            try:
                made = await here.place.client.comments.post(here.number, text)
            except GitHubError as error:
                if not error.answer_lost:
                    raise
                made = found_again(await self._comments(here, error), text, known, error)
            op.result["comment"] = made.id
            op.text = f"Commented on #{here.number}."
        self._done(lane_id)
        return made

    async def review(self, lane_id: str, verdict: Verdict, body: str = "") -> None:
        """Post a review of the commit that the request is at."""
        here = await pull_here(self._book, lane_id)
        text = body.strip()
        if not text and verdict != "approve":
            raise CommandError("no_text", "Say what should change, or what you found.")
        before = self._book.snapshot(lane_id)
        known = {review.id for review in before.reviews} if before is not None else set()
        client = here.place.client
        async with recorded(self._log, here, "review", verdict=verdict, chars=len(text)) as op:
            try:
                await client.comments.post_review(here.number, verdict, text, commit=here.pull.head_oid)
            except GitHubError as error:
                if not error.answer_lost:
                    raise
                if not await self._reviewed(here, text, known, error):
                    raise
            op.text = f"Posted a review of #{here.number}."
        self._done(lane_id)

    async def edit(
        self, lane_id: str, *, title: str | None = None, body: str | None = None, seen_body: str = "", by: By = "person"
    ) -> None:
        """Other words; None leaves them. `seen_body`: what the edit began from; what somebody changed meanwhile is
        kept, or nothing is changed at all."""
        here = await pull_here(self._book, lane_id, by=by)
        title = " ".join(title.split()) if title is not None else None
        if title == "":
            raise CommandError("no_title", "Give the request a title.")
        if len(title or "") > MAX_TITLE or len(body or "") > MAX_BODY:
            raise CommandError("too_long", f"A title has at most {MAX_TITLE} characters, a body {MAX_BODY:,}.")
        merged = await self._merged(here, _lines(seen_body), _lines(body)) if body is not None else None
        told = {"title": title, "with_body": merged is not None}
        async with recorded(self._log, here, "edit_pull_request", by=by, **told) as op:
            await self._done_or_found(
                here,
                lambda: here.place.client.pulls.edit(here.number, title=title, body=merged),
                lambda now: title in (None, now.title) and merged in (None, _lines(now.body)),
            )
            op.text = f"Changed the text of #{here.number}."
        self._done(lane_id)

    async def put_block_back(self, lane_id: str, posted: str, before: str) -> None:
        """Put the part with proofs that was there before ("": none) in the place of the one that was posted, which has
        this hash; what people wrote around it stays."""
        here = await pull_here(self._book, lane_id)
        body = _lines(here.pull.body)
        there = block_in(body)
        if block_sha256(there) != posted and there != before:
            raise CommandError("changed", BLOCK_CHANGED)
        if there != before:
            made = with_block(body, before)
            await self.edit(lane_id, body=made if before else made.rstrip("\n"), seen_body=body)

    async def set_state(self, lane_id: str, to: Literal["closed", "open", "ready", "draft"]) -> None:
        """Close, reopen, ready for review, or a draft again."""
        here = await pull_here(self._book, lane_id)
        if here.pull.state == "merged":
            raise CommandError("merged", f"Pull request #{here.number} is merged.")
        if not _is(here.pull, to):
            async with recorded(self._log, here, "set_pull_request", to=to) as op:
                await self._done_or_found(here, lambda: _change(here, to), lambda now: _is(now, to))
                op.text = f"#{here.number} is {_STATE_WORDS[to]}."
        self._done(lane_id)

    async def update_branch(self, lane_id: str, head_oid: str) -> None:
        """Let GitHub merge the base into the head, if the head is still that commit."""
        here = await pull_here(self._book, lane_id)
        if here.pull.head_oid != head_oid:
            raise CommandError("moved", MOVED)
        async with recorded(self._log, here, "update_branch", head=head_oid):
            await self._done_or_found(
                here,
                lambda: here.place.client.merging.update_branch(here.number, head_oid),
                lambda now: now.head_oid != head_oid,
            )
        self._done(lane_id)

    async def _done_or_found(
        self, here: PullHere, do: Callable[[], Awaitable[object]], is_done: Callable[[PullRequest], bool]
    ) -> None:
        """Do it; when the answer is lost, it is done if GitHub shows it so."""
        try:
            await do()
        except GitHubError as error:
            if not error.answer_lost:
                raise
            try:
                now = await here.place.client.pulls.one(here.number)
            except GitHubError as again:
                raise not_known(error, again) from again
            if not is_done(now):
                raise

    async def _merged(self, here: PullHere, seen: str, wanted: str) -> str:
        now = _lines(here.pull.body)
        if now in (seen, wanted):
            return wanted
        git = Git(Path(self._ground.the_project().path))
        texts = (f"{one}\n".encode() for one in (wanted, seen, now))
        both = await asyncio.to_thread(merge_texts, git, *texts)
        if both is None:
            raise CommandError("changed", CHANGED)
        return both.decode().removesuffix("\n")

    async def _comments(self, here: PullHere, error: GitHubError) -> tuple[Comment, ...]:
        try:
            return (await here.place.client.comments.comments(here.number)).items
        except GitHubError as again:
            raise not_known(error, again) from again

    async def _reviewed(self, here: PullHere, text: str, known: set[str], error: GitHubError) -> bool:
        try:
            listed = await here.place.client.comments.reviews(here.number)
        except GitHubError as again:
            raise not_known(error, again) from again
        me = here.place.client.viewer.casefold()
        return any(
            one.id not in known and one.author.login.casefold() == me and _lines(one.body).strip() == text
            for one in listed.items
        )


def _is(pull: PullRequest, to: str) -> bool:
    if to == "open":
        return pull.state in ("open", "draft")
    return pull.state == {"ready": "open"}.get(to, to)


def _change(here: PullHere, to: str) -> Awaitable[object]:
    pulls = here.place.client.pulls
    if to in ("closed", "open"):
        return pulls.edit(here.number, state="closed" if to == "closed" else "open")
    return pulls.set_draft(here.pull.id, draft=to == "draft")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
