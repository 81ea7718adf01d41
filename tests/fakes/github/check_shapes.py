"""Checks, statuses, workflow runs and jobs as REST shows them."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from tests.fakes.github.checks import ACTIONS
from tests.fakes.github.mergeability import base_now
from tests.fakes.github.model import Annotation, Check, CommitStatus, Job, Pull, Repo, WorkflowRun
from tests.fakes.github.router import Urls
from tests.fakes.github.shapes import app, minimal_repo, moment, user

ENDED_BADLY = ("failure", "error")


def check_entry(repo: Repo, check: Check, urls: Urls) -> dict[str, Any]:
    """A check run."""
    place = f"{urls.api}/repos/{repo.full_name}/check-runs/{check.id}"
    output = {
        "title": check.title, "summary": check.summary, "text": None, "annotations_count": len(check.annotations),
        "annotations_url": f"{place}/annotations",
    }  # fmt: skip
    page = job_page(repo, check, urls) or f"{urls.web}/{repo.full_name}/runs/{check.id}"
    return {
        "id": check.id, "name": check.name, "node_id": f"CR_kwDO{check.id:08x}", "head_sha": check.sha,
        "external_id": "", "url": place, "html_url": page, "details_url": check.details_url or page,
        "status": check.status, "conclusion": check.conclusion, "started_at": moment(check.started_at),
        "completed_at": moment(check.completed_at), "output": output, "check_suite": {"id": check.suite_id},
        "app": app(check.app, repo.owner, urls, repo.created_at), "pull_requests": pulls_at(repo, check.sha, urls),
    }  # fmt: skip


def job_page(repo: Repo, check: Check, urls: Urls) -> str:
    """The page of the job whose check this is, "" for a check of another app."""
    if check.app.slug != ACTIONS:
        return ""
    run = next(run for run in repo.runs.values() if run.suite_id == check.suite_id)
    return f"{urls.web}/{repo.full_name}/actions/runs/{run.id}/job/{check.id}"


def pulls_at(repo: Repo, sha: str, urls: Urls) -> list[dict[str, Any]]:
    """The open pull requests whose head is that commit; those of forks are left out, as GitHub does."""
    pulls = (pull for pull in repo.pulls.values() if pull.state == "open" and pull.head_sha == sha)
    return [_minimal_pull(repo, pull, urls) for pull in pulls if pull.head_repo is repo]


def _minimal_pull(repo: Repo, pull: Pull, urls: Urls) -> dict[str, Any]:
    place = f"{urls.api}/repos/{repo.full_name}"
    own = {"id": repo.id, "url": place, "name": repo.name}
    return {
        "id": pull.id, "number": pull.number, "url": f"{place}/pulls/{pull.number}",
        "head": {"ref": pull.head, "sha": pull.head_sha, "repo": own},
        "base": {"ref": pull.base, "sha": base_now(repo, pull), "repo": own},
    }  # fmt: skip


def annotation_entry(repo: Repo, sha: str, value: Annotation, urls: Urls) -> dict[str, Any]:
    """A remark on lines of a file."""
    return {
        "path": value.path, "start_line": value.start_line, "end_line": value.end_line or value.start_line,
        "start_column": None, "end_column": None, "annotation_level": value.level, "title": value.title,
        "message": value.message, "raw_details": None,
        "blob_href": f"{urls.web}/{repo.full_name}/blob/{sha}/{quote(value.path)}",
    }  # fmt: skip


def combined_state(statuses: list[CommitStatus]) -> str:
    """failure, pending or success; with no status at all it is pending."""
    states = {status.state for status in statuses}
    if states & set(ENDED_BADLY):
        return "failure"
    return "success" if states == {"success"} else "pending"


def status_entry(repo: Repo, status: CommitStatus, urls: Urls) -> dict[str, Any]:
    """A status in the combined status of a commit."""
    return {
        "url": f"{urls.api}/repos/{repo.full_name}/statuses/{status.sha}", "id": status.id,
        "node_id": f"SC_kwDO{status.id:08x}", "avatar_url": f"{urls.web}/avatars/oa/1", "state": status.state,
        "description": status.description, "target_url": status.target_url, "context": status.context,
        "created_at": moment(status.created_at), "updated_at": moment(status.created_at),
    }  # fmt: skip


def run_entry(repo: Repo, run: WorkflowRun, urls: Urls) -> dict[str, Any]:
    """A workflow run."""
    api, place = f"{urls.api}/repos/{repo.full_name}", f"{urls.api}/repos/{repo.full_name}/actions/runs/{run.id}"
    commit = repo.git.show(run.sha)
    people = {
        role: dict(zip(("name", "email"), who, strict=False))
        for role, who in (("author", commit.author), ("committer", commit.committer))
    }
    workflow = sum(map(ord, run.name)) + 1000  # one number for one workflow
    places = {f"{name}_url": f"{place}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")}
    earlier = f"{place}/attempts/{run.attempt - 1}" if run.attempt > 1 else None
    return {
        "id": run.id, "name": run.name, "node_id": f"WFR_kwLO{run.id:08x}", "head_branch": run.branch,
        "head_sha": run.sha, "path": run.path, "display_title": commit.message.split("\n", 1)[0],
        "run_number": run.number, "run_attempt": run.attempt, "referenced_workflows": [], "event": run.event,
        "status": run.status, "conclusion": run.conclusion, "workflow_id": workflow, "url": place,
        "check_suite_id": run.suite_id, "check_suite_node_id": f"CS_kwDO{run.suite_id:08x}",
        "html_url": f"{urls.web}/{repo.full_name}/actions/runs/{run.id}",
        "pull_requests": pulls_at(repo, run.sha, urls), "created_at": moment(run.created_at),
        "updated_at": moment(run.created_at), "run_started_at": moment(run.created_at),
        "actor": user(run.actor, urls), "triggering_actor": user(run.actor, urls), **places,
        "check_suite_url": f"{api}/check-suites/{run.suite_id}", "previous_attempt_url": earlier,
        "workflow_url": f"{api}/actions/workflows/{workflow}",
        "head_commit": {"id": run.sha, "tree_id": commit.tree, "message": commit.message,
                        "timestamp": commit.committer[2], **people},
        "repository": minimal_repo(repo, urls), "head_repository": minimal_repo(repo, urls),
    }  # fmt: skip


def job_entry(repo: Repo, run: WorkflowRun, job: Job, urls: Urls) -> dict[str, Any]:
    """A job of a workflow run with its steps."""
    check, api = job.check, f"{urls.api}/repos/{repo.full_name}"
    return {
        "id": check.id, "run_id": run.id, "workflow_name": run.name, "head_branch": run.branch,
        "run_url": f"{api}/actions/runs/{run.id}", "run_attempt": job.attempt, "node_id": f"CR_kwDO{check.id:08x}",
        "head_sha": run.sha, "url": f"{api}/actions/jobs/{check.id}", "html_url": job_page(repo, check, urls),
        "status": check.status, "conclusion": check.conclusion, "created_at": moment(check.started_at),
        "started_at": moment(check.started_at), "completed_at": moment(check.completed_at), "name": check.name,
        "steps": _steps(job), "check_run_url": f"{api}/check-runs/{check.id}", "labels": ["ubuntu-latest"],
        "runner_id": 1, "runner_name": "GitHub Actions 1", "runner_group_id": 0, "runner_group_name": "GitHub Actions",
    }  # fmt: skip


def _steps(job: Job) -> list[dict[str, Any]]:
    if job.check.status == "queued":
        return []
    done = job.check.status == "completed"
    shown: list[dict[str, Any]] = []
    for number, step in enumerate(job.steps, start=1):
        begun = job.check.started_at + timedelta(seconds=number)
        ended = done and step.conclusion is not None
        shown.append({
            "name": step.name, "status": "completed" if ended else "in_progress", "number": number,
            "conclusion": step.conclusion if ended else None, "started_at": moment(begun),
            "completed_at": moment(begun + timedelta(seconds=1)) if ended else None,
        })  # fmt: skip
    return shown
