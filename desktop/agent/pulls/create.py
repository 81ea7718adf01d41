"""PullCreate: a person plans a request, lets the model suggest its words, and opens it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from desktop.agent.context.summarise import SummaryFailed, asked
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Session
from desktop.agent.github.access import GitHubAccess
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.pulls.creator import PullCreator, PullPlan, WantedPull
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.context.events import SideAnswered
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, GitError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls import commands as c
from desktop.domain.pulls.updates import PullRequestCreated, PullRequestPlanned, PullTextSuggested
from desktop.providers.base import Request
from desktop.services.git.reads import GitReads
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.pulls.prompt import MAX_COMMITS, SYSTEM, pull_prompt, title_and_body
from desktop.services.pulls.text import MAX_TITLE, default_body, template_of

ANSWER_TOKENS = 2_000
LIMIT_S = 90.0


class PullCreate:
    """All on the engine thread."""

    def __init__(
        self, ground: Ground, telling: Telling, words: "PullWords", creator: PullCreator, done: Callable[[str], None]
    ) -> None:
        """`done` is called with the lane whose request is there."""
        self._ground = ground
        self._telling = telling
        self._words = words
        self._creator, self._done = creator, done

    def handlers(self) -> dict[type[Command], Handler]:
        """Planning, suggesting, opening."""
        return {
            c.PlanPullRequest: self._plan,
            c.SuggestPullText: self._suggest,
            c.CreatePullRequest: self._create,
        }

    async def _plan(self, command: c.PlanPullRequest) -> None:
        lane = self._ground.lane(command.lane_id)
        plan = await self._creator.plan(lane, command.base)
        titled = plan.title if plan.title != lane.name else self._words.title_of(lane) or plan.title
        self._telling.publish(_shown(command.command_id, lane, replace(plan, title=titled)))

    async def _create(self, command: c.CreatePullRequest) -> None:
        """Raises CommandError, GitHubError; a second order while the first is carried out is ignored."""
        lane = self._ground.lane(command.lane_id)
        if self._creator.is_opening(lane.id):
            return
        wanted = WantedPull(
            title=command.title,
            body=command.body,
            base=command.base,
            draft=command.draft,
            reviewers=command.reviewers,
            labels=command.labels,
            proofs=command.proofs,
            leave_out=command.leave_out,
            after_rewrite=command.after_rewrite,
        )
        try:
            opened = await self._creator.open(lane, wanted)
        except GitError as error:
            raise CommandError("not_pushed", str(error)) from error
        finally:
            self._telling.listed()
        self._telling.publish(
            PullRequestCreated(
                command_id=command.command_id,
                lane_id=lane.id,
                number=opened.pull.number,
                url=opened.pull.url,
                adopted=opened.adopted,
                notices=opened.notices,
            )
        )
        self._done(lane.id)

    async def _suggest(self, command: c.SuggestPullText) -> None:
        lane = self._ground.lane(command.lane_id)
        answer = PullTextSuggested(command_id=command.command_id, lane_id=lane.id)
        try:
            title, body = await self._words.suggested(lane, command.base)
        except BanksmanError as error:
            answer = answer.model_copy(update={"problem": str(error)})
        else:
            answer = answer.model_copy(update={"title": title, "body": body})
        self._telling.publish(answer)


class PullWords:
    """Engine thread. Title and body of a request, in the words of the model of a lane's chat."""

    def __init__(self, lanes: Lanes, files_of: FilesOf, github: GitHubAccess, chats: ChatWork) -> None:
        self._lanes = lanes
        self._files_of = files_of
        self._github = github
        self._chats = chats

    def title_of(self, lane: Lane) -> str:
        """The title of the lane's only open chat, which says more than the lane's name; "" where there is none."""
        titles = [one.state.title for one in self._chats.sessions.in_lane(lane.id) if one.state.title]
        return titles[0][:MAX_TITLE] if len(titles) == 1 else ""

    async def suggested(self, lane: Lane, base: str) -> tuple[str, str]:
        """Title and body of a request from the lane.

        Raises:
            BanksmanError: with a sentence.
        """
        session = self._session(lane)
        session.check_recorded()
        await self._chats.turns.may_ask(session)
        files = self._files_of(lane)
        since = await self._since(lane, base)
        reads = GitReads(files, lane.name)
        commits = await reads.log(count=MAX_COMMITS, ref=f"{since}..HEAD")
        if not commits:
            raise SummaryFailed("There is no commit yet that a request could hold.")
        diff = await reads.diff(ref=f"{since}...HEAD")
        template = await asyncio.to_thread(template_of, files)
        prompt = pull_prompt(commits, diff, template or default_body((), "", ()))
        request = Request(
            model=session.state.model,
            system=SYSTEM,
            messages=[{"role": "user", "content": [{"type": "text", "text": self._redacted(prompt)}]}],
            max_tokens=ANSWER_TOKENS,
            purpose="message",
        )
        found = await asked(session, self._chats.settings, request, attempts=1, limit_s=LIMIT_S)
        title, body = title_and_body(found.text)
        session.record(
            SideAnswered(
                purpose="pull_text",
                model=request.model,
                text=found.text,
                usage=found.usage,
                cost_microusd=found.cost_microusd,
            )
        )
        if not title:
            raise SummaryFailed("The model gave no words. Write them yourself, or ask again.")
        return title, body

    async def _since(self, lane: Lane, base: str) -> str:
        """The commit after which the request would begin, by what is known here."""
        parent = self._lanes.get(lane.parent_id) if lane.parent_id else None
        stacked = parent is not None and parent.type != "primary"
        names = [f"{remote}/{base}" for remote in await self._github.remotes_for(lane)] if base else []
        names += [parent.branch] if parent is not None and stacked and not base else []
        for name in (*names, lane.base_ref, lane.base_oid):
            oid = await asyncio.to_thread(commit_id, Git(Path(lane.worktree_path)), name) if name else ""
            if oid:
                return oid
        raise SummaryFailed("It is not known what the lane began at.")

    def _session(self, lane: Lane) -> Session:
        open_ones = [one for one in self._chats.sessions.in_lane(lane.id) if one.state.head_seq >= 0]
        if not open_ones:
            raise SummaryFailed("Open a chat of this lane: its model writes the words.")
        return max(open_ones, key=lambda one: one.last_at)

    def _redacted(self, prompt: str) -> str:
        return self._chats.settings.redactor.redact(prompt).text


def _shown(command_id: str, lane: Lane, plan: PullPlan) -> PullRequestPlanned:
    push = plan.push
    return PullRequestPlanned(
        command_id=command_id,
        lane_id=lane.id,
        title=plan.existing.title if plan.existing is not None else plan.title,
        body=plan.body,
        base=plan.base,
        bases=plan.bases,
        branch=plan.work.branch,
        remote=push.remote if push is not None else plan.place.remote,
        repository=plan.place.repository.slug,
        private=plan.place.facts.private,
        files=plan.work.files,
        pushes=push.ahead if push is not None else None,
        template=plan.template,
        hindrances=plan.hindrances,
    )
