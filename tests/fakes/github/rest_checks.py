"""REST: check runs, statuses, workflow runs, jobs and their logs."""

from tests.fakes.github.check_shapes import (
    annotation_entry,
    check_entry,
    combined_state,
    job_entry,
    run_entry,
    status_entry,
)
from tests.fakes.github.checks import ACTIONS, request_again, rerun_failed
from tests.fakes.github.mergeability import latest_checks, latest_statuses
from tests.fakes.github.model import Check, Repo, WorkflowRun
from tests.fakes.github.router import Call, serves
from tests.fakes.github.shapes import minimal_repo
from tests.fakes.github.wire import Answer, Refusal, not_found

REPO = "/repos/{owner}/{repo}"


def _commit(call: Call, repo: Repo) -> str:
    ref = call.params["ref"]
    sha = repo.git.branch(ref) or repo.git.resolve(ref)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {ref}")
    return sha


@serves("GET", REPO + "/commits/{ref}/check-runs")
def check_runs(call: Call) -> Answer:
    repo, query = call.repo(), call.request.query
    sha = _commit(call, repo)
    found = latest_checks(repo, sha)
    if query.get("filter", "latest") == "all":
        found = [check for check in reversed(repo.checks.values()) if check.sha == sha]
    found = [each for each in found if query.get("check_name", each.name) == each.name]
    found = [each for each in found if query.get("status", each.status) == each.status]
    shown, headers = call.page(found)
    entries = [check_entry(repo, check, call.urls) for check in shown]
    return Answer(200, {"total_count": len(found), "check_runs": entries}, headers)


@serves("GET", REPO + "/commits/{ref}/status")
def combined_status(call: Call) -> Answer:
    repo = call.repo()
    sha = _commit(call, repo)
    statuses = latest_statuses(repo, sha)
    shown, headers = call.page(statuses)
    place = f"{call.urls.api}/repos/{repo.full_name}/commits/{sha}"
    body = {
        "state": combined_state(statuses), "statuses": [status_entry(repo, each, call.urls) for each in shown],
        "sha": sha, "total_count": len(statuses), "repository": minimal_repo(repo, call.urls), "commit_url": place,
        "url": f"{place}/status",
    }  # fmt: skip
    return Answer(200, body, headers)


def _check(call: Call, repo: Repo) -> Check:
    number = call.params["check_run_id"]
    check = repo.checks.get(int(number)) if number.isdigit() else None
    if check is None:
        raise not_found()
    return check


@serves("GET", REPO + "/check-runs/{check_run_id}")
def one_check(call: Call) -> Answer:
    repo = call.repo()
    return Answer(200, check_entry(repo, _check(call, repo), call.urls))


@serves("GET", REPO + "/check-runs/{check_run_id}/annotations")
def annotations(call: Call) -> Answer:
    repo = call.repo()
    check = _check(call, repo)
    shown, headers = call.page(check.annotations)
    return Answer(200, [annotation_entry(repo, check.sha, each, call.urls) for each in shown], headers)


@serves("POST", REPO + "/check-runs/{check_run_id}/rerequest")
def rerequest(call: Call) -> Answer:
    repo = call.repo("write")
    check = _check(call, repo)
    if check.app.slug == ACTIONS:
        raise Refusal(403, "This check run is not owned by your app.")
    request_again(call.changes.world, repo, check)
    return Answer(201, {})


@serves("GET", REPO + "/actions/runs")
def workflow_runs(call: Call) -> Answer:
    repo, query = call.repo(), call.request.query
    found = [run for run in reversed(repo.runs.values()) if query.get("head_sha", run.sha) == run.sha]
    found = [run for run in found if query.get("branch", run.branch) == run.branch]
    found = [run for run in found if query.get("event", run.event) == run.event]
    found = [run for run in found if query.get("status", run.status) in {run.status, run.conclusion}]
    shown, headers = call.page(found)
    entries = [run_entry(repo, run, call.urls) for run in shown]
    return Answer(200, {"total_count": len(found), "workflow_runs": entries}, headers)


def _run(call: Call, repo: Repo) -> WorkflowRun:
    number = call.params["run_id"]
    run = repo.runs.get(int(number)) if number.isdigit() else None
    if run is None:
        raise not_found()
    return run


@serves("GET", REPO + "/actions/runs/{run_id}")
def one_run(call: Call) -> Answer:
    repo = call.repo()
    return Answer(200, run_entry(repo, _run(call, repo), call.urls))


@serves("GET", REPO + "/actions/runs/{run_id}/jobs")
def jobs(call: Call) -> Answer:
    repo = call.repo()
    run = _run(call, repo)
    found = run.jobs if call.request.query.get("filter", "latest") == "all" else run.latest_jobs
    shown, headers = call.page(found)
    entries = [job_entry(repo, run, job, call.urls) for job in shown]
    return Answer(200, {"total_count": len(found), "jobs": entries}, headers)


@serves("POST", REPO + "/actions/runs/{run_id}/rerun-failed-jobs")
def rerun(call: Call) -> Answer:
    repo = call.repo("write")
    rerun_failed(call.changes.world, repo, _run(call, repo), call.sender())
    return Answer(201, {})


@serves("GET", REPO + "/actions/jobs/{job_id}/logs")
def job_log(call: Call) -> Answer:
    """Not the log itself: a way to it on another host, which must not be given the token."""
    repo = call.repo()
    if call.viewer is None:
        raise Refusal(403, "Must have admin rights to Repository.")
    number = call.params["job_id"]
    job = repo.jobs.get(int(number)) if number.isdigit() else None
    if job is None or job.check.status != "completed":  # GitHub has no log before the job has ended
        raise not_found()
    if job.log is None:
        raise Refusal(410, "Server Error")
    return Answer(302, headers={"Location": f"{call.changes.log_host}/logs/{repo.id}/{job.check.id}?sig=c2lnbmVk"})
