"""PullDetails: details of checks and their logs, pictures of texts, the repository's requests, merging as planned."""

import asyncio
from urllib.parse import urlsplit

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.here import NO_PULL
from desktop.agent.pulls.merger import PullMerger
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.gate.redaction import Redactor
from desktop.domain.github.values import GitHubError
from desktop.domain.pulls import commands as c
from desktop.domain.pulls.pull_request import Check, PullSnapshot, PullSummary
from desktop.domain.pulls.updates import (
    CheckLoaded,
    CheckLogLoaded,
    ForeignPictureLoaded,
    PullMergePlanned,
    PullRequestMerged,
    PullRequestsListed,
)
from desktop.services.github import lazy
from desktop.services.github.hosts import LOOPBACK, address_of
from desktop.services.pictures.pictures import PictureProblem, shown_picture
from desktop.services.pulls.merge_plan import can_delete_branch, methods_of

LAST_LINES = 2_000
PICTURE_PX = 1_600
"""The longer side of a picture in a text: panels are narrower."""


class PullDetails:
    """All on the engine thread."""

    def __init__(
        self, ground: Ground, publish: Publish, settings: SettingsKeeper, book: PullBook, merger: PullMerger
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._settings = settings
        self._book, self._merger = book, merger

    def handlers(self) -> dict[type[Command], Handler]:
        """Its commands."""
        return {
            c.LoadCheck: self._check,
            c.LoadCheckLog: self._log,
            c.ListPullRequests: self._list,
            c.LoadForeignPicture: self._picture,
            c.PlanPullMerge: self._plan,
            c.MergePullRequest: self._merge,
        }

    async def _check(self, command: c.LoadCheck) -> None:
        answer = CheckLoaded(command_id=command.command_id, lane_id=command.lane_id, check_id=command.check_id)
        try:
            check = self._known(command.lane_id, command.check_id)
            if check.kind == "run":
                answer = await self._detailed(answer, check)
        except BanksmanError as error:
            answer = answer.model_copy(update={"problem": str(error)})
        self._publish(answer)

    async def _detailed(self, answer: CheckLoaded, check: Check) -> CheckLoaded:
        place = await self._book.place(self._ground.lane(answer.lane_id))
        jobs = (await place.client.checks.jobs(check.run_id)).items if check.run_id else ()
        job = next((one for one in jobs if one.id == check.job_id), None)
        noted = await place.client.checks.annotations(check.id) if check.annotations else None
        return answer.model_copy(
            update={
                "job_id": job.id if job is not None else 0,
                "steps": job.steps if job is not None else (),
                "annotations": noted.items if noted is not None else (),
            }
        )

    async def _log(self, command: c.LoadCheckLog) -> None:
        found = self._book.snapshot(command.lane_id)
        check = next((one for one in found.checks if one.job_id == command.job_id), None) if found is not None else None
        answer = CheckLogLoaded(
            command_id=command.command_id,
            lane_id=command.lane_id,
            job_id=command.job_id,
            url=check.url if check is not None else "",
        )
        try:
            place = await self._book.place(self._ground.lane(command.lane_id))
            text, cut = await place.client.checks.job_log(command.job_id)
        except GitHubError as error:
            answer = answer.model_copy(update={"gone": error.kind == "not_found", "problem": str(error)})
        else:
            lines = await asyncio.to_thread(_masked, text, self._settings.redactor)
            kept = lines if command.whole else lines[-LAST_LINES:]
            problem = "The log is longer than 20 MiB; only its beginning is here." if cut else ""
            answer = answer.model_copy(update={"lines": tuple(kept), "total": len(lines), "problem": problem})
        self._publish(answer)

    async def _picture(self, command: c.LoadForeignPicture) -> None:
        """Nobody is told who asks, and this process decodes nothing of it."""
        answer = ForeignPictureLoaded(command_id=command.command_id, address=command.address)
        hosts = self._settings.current.github
        here = any(urlsplit(address_of(host).api).hostname in LOOPBACK for host in hosts)
        try:
            data = await lazy.fetch_picture(command.address, plain_on_loopback=here)
            _, shown = await shown_picture(data, PICTURE_PX)
        except GitHubError as error:
            answer = answer.model_copy(update={"problem": str(error)})
        except PictureProblem as error:
            answer = answer.model_copy(update={"problem": f"This picture cannot be shown: {error}."})
        else:
            answer = answer.model_copy(update={"data": shown})
        self._publish(answer)

    async def _list(self, command: c.ListPullRequests) -> None:
        answer = PullRequestsListed(command_id=command.command_id, lane_id=command.lane_id)
        try:
            place = await self._book.place(self._ground.lane(command.lane_id))
            listed = await place.client.pulls.open_ones()
        except GitHubError as error:
            answer = answer.model_copy(update={"problem": error.problem})
        else:
            lanes = self._lanes()
            requests = tuple(_with_lane(one, lanes, place.owners) for one in listed.items)
            answer = answer.model_copy(
                update={"requests": requests, "viewer": place.client.viewer, "capped": listed.capped}
            )
        self._publish(answer)

    async def _plan(self, command: c.PlanPullMerge) -> None:
        plan = await self._merger.plan(command.lane_id)
        methods = methods_of(plan.snapshot)
        self._publish(
            PullMergePlanned(
                command_id=command.command_id,
                lane_id=command.lane_id,
                number=plan.pull.number,
                head_oid=plan.pull.head_oid,
                methods=methods,
                method=methods[0],
                hindrances=plan.hindrances,
                typed=plan.typed,
                evidence=plan.evidence,
                can_delete_branch=can_delete_branch(plan.snapshot),
            )
        )

    async def _merge(self, command: c.MergePullRequest) -> None:
        merged = await self._merger.merge(command)
        self._publish(
            PullRequestMerged(
                command_id=command.command_id,
                lane_id=command.lane_id,
                number=merged.number,
                merge_oid=merged.oid,
                notices=merged.notices,
                archived=merged.archived,
            )
        )

    def _known(self, lane_id: str, check_id: int) -> Check:
        found = self._book.snapshot(lane_id) or PullSnapshot(lane_id=lane_id)
        if found.pull is None:
            raise CommandError("no_pull", NO_PULL)
        check = next((one for one in found.checks if one.id == check_id), None)
        if check is None:
            raise CommandError("no_check", "There is a newer run of this check. Refresh.")
        return check

    def _lanes(self) -> dict[tuple[str, int], str]:
        """Lanes by their branch, and by the number of their request."""
        lanes = self._ground.lanes.of_project(self._ground.the_project().id)
        by_branch = {(lane.branch, 0): lane.id for lane in lanes if lane.branch and lane.type != "primary"}
        return by_branch | {("", lane.pr_number): lane.id for lane in lanes if lane.pr_number}


def _with_lane(one: PullSummary, lanes: dict[tuple[str, int], str], owners: tuple[str, ...]) -> PullSummary:
    lane_id = lanes.get(("", one.number), "")
    if not lane_id and one.head_owner in owners:
        lane_id = lanes.get((one.head, 0), "")
    return one.model_copy(update={"lane_id": lane_id})


def _masked(text: str, redactor: Redactor) -> list[str]:
    return redactor.redact(text.removeprefix("\ufeff")).text.splitlines()
