"""From what GitHub's REST interface answers to values of the domain. Words that are not known never count as good."""

import re
from collections.abc import Sequence
from typing import get_args

from desktop.domain.pulls.pull_request import (
    Annotation,
    Author,
    Check,
    CheckState,
    CheckStep,
    Comment,
    Conclusion,
    ForgeMergeMethod,
    Mergeable,
    PullCommit,
    PullFile,
    PullRequest,
    PullState,
    RepositoryFacts,
    RepositoryId,
    Review,
    ReviewVerdict,
    WorkflowJob,
    WorkflowRun,
)
from desktop.services.github import rest_models as rest

GHOST = Author()
_CONCLUSIONS = frozenset(get_args(Conclusion))
_JOB = re.compile(r"/actions/runs/(\d+)/jobs?/(\d+)")
_RUN = re.compile(r"/actions/runs/(\d+)")
_MERGEABLE: dict[str, tuple[Mergeable, str]] = {
    "clean": ("yes", ""),
    "unstable": ("yes", ""),
    "has_hooks": ("yes", ""),
    "dirty": ("conflicts", "It conflicts with its base."),
    "blocked": ("blocked", "A required review or check is missing."),
    "draft": ("blocked", "It is a draft."),
    "behind": ("behind", "Its base has commits that it lacks, and the branch must be up to date."),
}
_VERDICTS: dict[str, ReviewVerdict] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "COMMENTED": "commented",
    "DISMISSED": "dismissed",
    "PENDING": "pending",
}


def author(user: rest.User | None) -> Author:
    """The author for an account; a deleted account has no name."""
    return GHOST if user is None else Author(login=user.login, bot=user.type == "Bot")


def repository_facts(host: str, told: rest.Repository) -> RepositoryFacts:
    """The facts about a repository, as the product keeps them."""
    allowed: list[tuple[ForgeMergeMethod, bool | None]] = [
        ("merge", told.allow_merge_commit),
        ("squash", told.allow_squash_merge),
        ("rebase", told.allow_rebase_merge),
    ]
    return RepositoryFacts(
        repository=RepositoryId(host=host, owner=told.owner.login, name=told.name),
        url=told.html_url,
        default_branch=told.default_branch,
        private=told.private,
        can_push=told.permissions.push,
        archived=told.archived,
        methods=tuple(method for method, on in allowed if on is not False),
        deletes_branch=told.delete_branch_on_merge,
    )


def pull_request(repository: RepositoryId, told: rest.Pull) -> PullRequest:
    """A request; of one from a list `mergeable` is unknown."""
    mergeable, reason = _mergeable(told)
    head = told.head.repo
    return PullRequest(
        number=told.number,
        id=told.node_id,
        repository=repository,
        title=told.title,
        body=told.body or "",
        state=pull_state(told),
        base=told.base.ref,
        head=told.head.ref,
        head_oid=told.head.sha,
        base_oid=told.base.sha,
        head_repository=RepositoryId(host=repository.host, owner=head.owner.login, name=head.name) if head else None,
        author=author(told.user),
        created_at=told.created_at,
        updated_at=told.updated_at,
        merged_at=told.merged_at,
        merge_oid=(told.merge_commit_sha or "") if told.merged_at else "",
        url=told.html_url,
        mergeable=mergeable,
        reason=reason,
        labels=tuple(label.name for label in told.labels),
        reviewers=(
            *(user.login for user in told.requested_reviewers or ()),
            *(f"team/{team.slug}" for team in told.requested_teams or ()),
        ),
        additions=told.additions,
        deletions=told.deletions,
        changed_files=told.changed_files,
        maintainer_can_modify=told.maintainer_can_modify,
    )


def pull_state(told: rest.Pull) -> PullState:
    """The state of a pull request in one word."""
    if told.merged_at is not None:
        return "merged"
    if told.state != "open":
        return "closed"
    return "draft" if told.draft else "open"


def pull_file(told: rest.File) -> PullFile:
    """A file of a request."""
    change = told.status if told.status in get_args(PullFile.model_fields["change"].annotation) else "changed"
    return PullFile.model_validate(
        {
            "path": told.filename,
            "old_path": told.previous_filename,
            "change": change,
            "added": told.additions,
            "removed": told.deletions,
        }
    )


def pull_commit(told: rest.Commit) -> PullCommit:
    """A commit of a request."""
    by = told.commit.author
    login = told.author.login if told.author is not None else ""
    name = login or (by.name or "" if by is not None else "")
    return PullCommit(
        oid=told.sha, subject=told.commit.message.partition("\n")[0], author=name, at=by.date if by else None
    )


def check_of_run(told: rest.CheckRun, run: WorkflowRun | None) -> Check:
    """A check run. `run`: the workflow run behind it."""
    run_id, job_id = _places(told)
    return Check(
        id=told.id,
        name=told.name,
        app=(told.app.slug or told.app.name) if told.app is not None else "",
        workflow=run.name if run is not None else "",
        state=check_state(told.status),
        conclusion=conclusion(told.conclusion),
        started_at=told.started_at,
        ended_at=told.completed_at,
        url=told.html_url or told.details_url or "",
        run_id=run.id if run is not None else run_id,
        job_id=job_id,
        title=told.output.title or "",
        annotations=told.output.annotations_count,
    )


def check_of_status(told: rest.Status) -> Check:
    """The check that a commit status is shown as."""
    pending = told.state == "pending"
    return Check(
        id=told.id,
        kind="status",
        name=told.context,
        state="running" if pending else "completed",
        conclusion="" if pending else conclusion(told.state),
        started_at=told.created_at,
        ended_at=None if pending else told.updated_at,
        url=told.target_url or "",
        title=told.description or "",
    )


def check_state(word: str | None) -> CheckState:
    """queued also for all that waits for somebody."""
    if word == "completed":
        return "completed"
    return "running" if word == "in_progress" else "queued"


def conclusion(word: str | None) -> Conclusion:
    """A word that is not known counts as an error."""
    known: Conclusion = "error"
    if (word or "") in _CONCLUSIONS:
        known = word or ""  # type: ignore[assignment]  # it is one of them
    return known


def workflow_run(told: rest.Run) -> WorkflowRun:
    """A run of a workflow."""
    return WorkflowRun(
        id=told.id,
        name=told.name or "",
        workflow=told.workflow_id,
        event=told.event,
        suite=told.check_suite_id,
        attempt=told.run_attempt,
        state=check_state(told.status),
        conclusion=conclusion(told.conclusion),
        url=told.html_url,
    )


def workflow_job(told: rest.Job) -> WorkflowJob:
    """The job of a workflow, with its steps."""
    steps = tuple(
        CheckStep(
            number=step.number,
            name=step.name,
            state=check_state(step.status),
            conclusion=conclusion(step.conclusion),
            started_at=step.started_at,
            ended_at=step.completed_at,
        )
        for step in told.steps or ()
    )
    return WorkflowJob(
        id=told.id,
        run_id=told.run_id,
        name=told.name,
        state=check_state(told.status),
        conclusion=conclusion(told.conclusion),
        steps=steps,
        url=told.html_url or "",
    )


def annotation(told: rest.Annotation) -> Annotation:
    """The remark of a check about lines of a file."""
    level = told.annotation_level if told.annotation_level in ("notice", "warning", "failure") else "warning"
    return Annotation.model_validate(
        {
            "path": told.path,
            "start_line": told.start_line,
            "end_line": told.end_line,
            "level": level,
            "title": told.title or "",
            "message": told.message or "",
        }
    )


def issue_comment(told: rest.IssueComment, viewer: str) -> Comment:
    """A comment on the request as a whole."""
    by = author(told.user)
    return Comment(
        id=told.node_id or str(told.id),
        number=told.id,
        author=by,
        body=told.body or "",
        created_at=told.created_at,
        edited_at=told.updated_at if told.updated_at != told.created_at else None,
        url=told.html_url,
        mine=bool(viewer) and by.login == viewer,
    )


def review(told: rest.Review) -> Review:
    """A review. A state that is not known is a comment: it neither approves nor refuses."""
    return Review(
        id=told.node_id or str(told.id),
        author=author(told.user),
        verdict=_VERDICTS.get(told.state, "commented"),
        body=told.body or "",
        at=told.submitted_at,
        commit=told.commit_id or "",
        url=told.html_url,
    )


def newest(checks: Sequence[tuple[tuple[object, ...], Check]]) -> list[Check]:
    """Of each key the check that began last; of those the one that is named last."""
    found: dict[tuple[object, ...], Check] = {}
    for key, check in checks:
        other = found.get(key)
        if other is None or _age(check) >= _age(other):
            found[key] = check
    return list(found.values())


def _age(check: Check) -> tuple[float, int]:
    return check.started_at.timestamp() if check.started_at is not None else float("inf"), check.id


def _mergeable(told: rest.Pull) -> tuple[Mergeable, str]:
    if told.state != "open":
        return "unknown", ""
    if told.mergeable is False:
        return _MERGEABLE["dirty"]
    found = _MERGEABLE.get(told.mergeable_state, ("unknown", ""))
    return ("unknown", "") if told.mergeable is None and found[0] == "yes" else found


def _places(told: rest.CheckRun) -> tuple[int, int]:
    """Run and job of a check of GitHub Actions; the job has the number of its check."""
    if told.app is None or told.app.slug != "github-actions":
        return 0, 0
    address = told.details_url or told.html_url or ""
    if found := _JOB.search(address):
        return int(found[1]), int(found[2])
    run = _RUN.search(address)
    return int(run[1]) if run else 0, told.id
