"""Whether a pull request can be merged, from git, checks, reviews and the rules of its base."""

from tests.fakes.github.model import Check, CommitStatus, Protection, Pull, Repo

GOOD = {"success", "neutral", "skipped"}


def base_now(repo: Repo, pull: Pull) -> str:
    """The commit its base branch is at; after a merge, the one it was merged into."""
    return pull.base_sha if pull.merged else repo.git.branch(pull.base) or pull.base_sha


def mergeable(repo: Repo, pull: Pull) -> bool | None:
    """None: closed, or GitHub has not worked it out yet (it then does, one question later)."""
    if pull.state != "open":
        return None
    if pull.mergeable_unknown > 0:
        pull.mergeable_unknown -= 1
        return None
    return repo.git.merged_tree(base_now(repo, pull), pull.head_sha) is not None


def mergeable_state(repo: Repo, pull: Pull, answer: bool | None) -> str:
    """clean, dirty, blocked, behind, unstable, draft or unknown; `answer` is what `mergeable` said."""
    if answer is None:
        return "unknown"
    if not answer:
        return "dirty"
    if pull.draft:
        return "draft"
    rules = repo.protections.get(pull.base, Protection())
    if rules.strict and not repo.git.contains(pull.head_sha, base_now(repo, pull)):
        return "behind"
    if hindrance(repo, pull):
        return "blocked"
    states = check_states(repo, pull.head_sha)
    return "clean" if all(state in GOOD for state in states.values()) else "unstable"


def hindrance(repo: Repo, pull: Pull) -> str:
    """Why the rules of the base branch do not let it be merged, in GitHub's words; "" if they do."""
    rules = repo.protections.get(pull.base, Protection())
    verdict = review_decision(repo, pull)
    if verdict == "CHANGES_REQUESTED":
        return "Changes have been requested."
    if verdict == "REVIEW_REQUIRED":
        return f"At least {rules.required_reviews} approving review is required by reviewers with write access."
    states = check_states(repo, pull.head_sha)
    for name in rules.required_checks:
        state = states.get(name, "expected")
        if state not in GOOD:
            waiting = state in {"expected", "pending", "queued", "in_progress"}
            return f'Required status check "{name}" is {"expected" if waiting else "failing"}.'
    return ""


def review_decision(repo: Repo, pull: Pull) -> str | None:
    """As GraphQL names it; None where no review is asked for and none was decisive."""
    rules = repo.protections.get(pull.base, Protection())
    latest = {
        review.author.login: review.state
        for review in pull.reviews
        if review.state in {"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}
    }
    writers = {login for login in latest if repo.allows_login(login, "write")}
    if any(latest[login] == "CHANGES_REQUESTED" for login in writers):
        return "CHANGES_REQUESTED"
    approvals = sum(latest[login] == "APPROVED" for login in writers)
    if approvals < rules.required_reviews:
        return "REVIEW_REQUIRED"
    return "APPROVED" if approvals else None


def latest_checks(repo: Repo, sha: str) -> list[Check]:
    """The newest check run of each name, app and suite on that commit, newest first: each workflow run is a suite."""
    runs = [check for check in repo.checks.values() if check.sha == sha]
    newest = {(check.app.id, check.suite_id, check.name): check for check in sorted(runs, key=lambda check: check.id)}
    return sorted(newest.values(), key=lambda check: check.id, reverse=True)


def latest_statuses(repo: Repo, sha: str) -> list[CommitStatus]:
    """The newest status of each context on that commit."""
    return list({status.context: status for status in repo.statuses if status.sha == sha}.values())


def check_states(repo: Repo, sha: str) -> dict[str, str]:
    """Names of checks and contexts to a conclusion or, while there is none, a state."""
    states = {status.context: status.state for status in latest_statuses(repo, sha)}
    return {**states, **{check.name: check.conclusion or check.status for check in latest_checks(repo, sha)}}
