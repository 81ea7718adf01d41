"""How checks begin, end and are run again."""

from collections.abc import Mapping

from tests.fakes.github.model import Account, App, Check, Job, Repo, Step, WorkflowRun, World
from tests.fakes.github.wire import Refusal

ACTIONS = "github-actions"
RERUNNABLE = {"failure", "timed_out", "cancelled", "startup_failure", "action_required", "stale"}


def new_check(world: World, repo: Repo, sha: str, name: str, app: App, conclusion: str | None, *,
              status: str = "in_progress", suite_id: int | None = None) -> Check:  # fmt: skip
    """A check run; completed if it has a conclusion, else in that status."""
    now = world.now()
    done = conclusion is not None
    suite_id = suite_id or _suite(world, repo, sha, app)
    check = Check(
        world.new_id(), suite_id, sha, name, app, "completed" if done else status, conclusion,
        now, now if done else None,
    )  # fmt: skip
    repo.checks[check.id] = check
    return check


def _suite(world: World, repo: Repo, sha: str, app: App) -> int:
    """An app has one suite for a commit; GitHub Actions has one for each run of a workflow."""
    there = (check.suite_id for check in repo.checks.values() if check.sha == sha and check.app is app)
    return next(there, 0) or world.new_id()


def end_check(world: World, check: Check, conclusion: str) -> None:
    """It is completed now."""
    check.status, check.conclusion, check.completed_at = "completed", conclusion, world.now()


def new_run(
    world: World, repo: Repo, sha: str, jobs: Mapping[str, str | None], name: str, branch: str, log: str
) -> WorkflowRun:
    """A workflow run with its jobs."""
    number = sum(run.name == name for run in repo.runs.values()) + 1
    path = f".github/workflows/{name.lower().replace(' ', '-')}.yml"
    run = WorkflowRun(
        world.new_id(), world.new_id(), number, name, path, "pull_request", sha, branch, repo.owner, world.now()
    )
    repo.runs[run.id] = run
    for job, conclusion in jobs.items():
        _new_job(world, repo, run, job, conclusion, log)
    return run


def _new_job(world: World, repo: Repo, run: WorkflowRun, name: str, conclusion: str | None, log: str | None,
             status: str = "in_progress") -> Job:  # fmt: skip
    check = new_check(world, repo, run.sha, name, world.app(ACTIONS), conclusion, status=status, suite_id=run.suite_id)
    steps = [Step("Set up job"), Step("Run tests", conclusion), Step("Complete job")]
    job = Job(check, run.attempt, steps, log)
    run.jobs.append(job)
    repo.jobs[check.id] = job
    return job


def rerun_failed(world: World, repo: Repo, run: WorkflowRun, by: Account) -> None:
    """Another attempt, with new jobs for those that failed. Raises Refusal 403 if there is nothing to run."""
    if run.status != "completed":
        raise Refusal(403, "This workflow is already running")
    failed = [job for job in run.latest_jobs if job.check.conclusion in RERUNNABLE]
    if not failed:
        raise Refusal(403, "This workflow run cannot be retried")
    run.attempt += 1
    run.actor = by
    for job in failed:
        _new_job(world, repo, run, job.check.name, None, job.log, status="queued")


def request_again(world: World, repo: Repo, check: Check) -> None:
    """A new, queued check of that name in the place of this one. Raises Refusal 422 while it runs."""
    if check.status != "completed":
        raise Refusal(422, "This check run is not rerequestable")
    new_check(world, repo, check.sha, check.name, check.app, None, status="queued", suite_id=check.suite_id)
