"""CheckCalls: checks of a commit, what they say, the workflow runs behind them, and running them again."""

from pydantic import TypeAdapter

from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import Annotation, Check, WorkflowJob, WorkflowRun
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.transport import Listed, all_of
from desktop.services.github.values import (
    annotation,
    check_of_run,
    check_of_status,
    newest,
    workflow_job,
    workflow_run,
)

_ANNOTATIONS = TypeAdapter(list[rest.Annotation]).validate_json
_ACTIONS = "github-actions"


class CheckCalls:
    """Calls about checks. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def of_commit(self, sha: str) -> Listed[Check]:
        """Check runs and commit statuses of a commit, the newest of each name and app.

        Checks of two workflows, or of two causes of one workflow, are two even if they share a name: none hides the
        other.
        """
        checks, statuses = await self._check_runs(sha), await self._statuses(sha)
        suites: dict[int, WorkflowRun] = {}
        if any(one.app is not None and one.app.slug == _ACTIONS for one in checks.items):
            suites = {run.suite: run for run in await self._known_runs(sha)}
        keyed = []
        for told in checks.items:
            suite = told.check_suite.id if told.check_suite is not None else 0
            run = suites.get(suite)
            check = check_of_run(told, run)
            keyed.append(((check.name, check.app, (run.workflow, run.event) if run else suite), check))
        states = [((check.name,), check) for check in map(check_of_status, statuses.items)]
        capped = checks.capped or statuses.capped
        return Listed((*newest(keyed), *newest(states)), capped)

    async def annotations(self, check_id: int) -> Listed[Annotation]:
        """The remarks of a check run about lines of files."""
        path = self._place.path(f"/check-runs/{check_id}/annotations")
        listed = await self._place.transport.listed(path, _ANNOTATIONS, all_of)
        return Listed(tuple(annotation(one) for one in listed.items), listed.capped)

    async def runs(self, sha: str) -> Listed[WorkflowRun]:
        """The workflow runs of a commit."""
        listed = await self._place.transport.listed(
            self._place.path("/actions/runs"),
            rest.Runs.model_validate_json,
            lambda page: page.workflow_runs,
            head_sha=sha,
        )
        return Listed(tuple(workflow_run(one) for one in listed.items), listed.capped)

    async def jobs(self, run_id: int) -> Listed[WorkflowJob]:
        """The jobs of a run's last attempt, with their steps."""
        listed = await self._place.transport.listed(
            self._place.path(f"/actions/runs/{run_id}/jobs"),
            rest.Jobs.model_validate_json,
            lambda page: page.jobs,
            filter="latest",
        )
        return Listed(tuple(workflow_job(one) for one in listed.items), listed.capped)

    async def job_log(self, job_id: int) -> tuple[str, bool]:
        """The log of a job, and whether it was cut at 20 MiB. not_found: GitHub does not keep it any more, or the job
        has not ended."""
        return await self._place.transport.log(self._place.path(f"/actions/jobs/{job_id}/logs"))

    async def rerun_failed(self, run_id: int) -> None:
        """Run the failed jobs of a workflow run again."""
        await self._place.transport.write("POST", self._place.path(f"/actions/runs/{run_id}/rerun-failed-jobs"))

    async def rerequest(self, check_id: int) -> None:
        """Ask the app of a check run to run it again."""
        await self._place.transport.write("POST", self._place.path(f"/check-runs/{check_id}/rerequest"))

    async def _check_runs(self, sha: str) -> Listed[rest.CheckRun]:
        return await self._place.transport.listed(
            self._place.path(f"/commits/{sha}/check-runs"),
            rest.CheckRuns.model_validate_json,
            lambda page: page.check_runs,
            filter="latest",
        )

    async def _statuses(self, sha: str) -> Listed[rest.Status]:
        return await self._place.transport.listed(
            self._place.path(f"/commits/{sha}/status"),
            rest.CombinedStatus.model_validate_json,
            lambda page: page.statuses,
        )

    async def _known_runs(self, sha: str) -> tuple[WorkflowRun, ...]:
        """The runs, none where the account may not see them: the checks are told all the same."""
        try:
            return (await self.runs(sha)).items
        except GitHubError as error:
            if error.kind in ("forbidden", "not_found"):
                return ()
            raise
