"""REST: pull requests and what a person does with them."""

from tests.fakes.github.mergeability import hindrance
from tests.fakes.github.model import ROLES, Pull, Repo
from tests.fakes.github.pull_shapes import commit_entry, file_entry, full_pull, pull_commits, pull_files, short_pull
from tests.fakes.github.router import MISSING_RIGHT, Call, serves
from tests.fakes.github.shapes import label
from tests.fakes.github.wire import Answer, Refusal, invalid

PULLS = "/repos/{owner}/{repo}/pulls"
PULL = PULLS + "/{pull_number}"
NOT_ALLOWED = {"merge": "Merge commits are", "squash": "Squash merges are", "rebase": "Rebase merges are"}


@serves("GET", PULLS)
def pulls(call: Call) -> Answer:
    repo, query = call.repo(), call.request.query
    state, base, head = query.get("state", "open"), query.get("base"), query.get("head", "")
    found = [pull for pull in repo.pulls.values() if state in {"all", pull.state} and base in {None, pull.base}]
    owner, colon, branch = head.partition(":")
    if colon:  # without one GitHub ignores it
        found = [pull for pull in found if pull.head_owner.lower() == owner.lower() and pull.head == branch]
    oldest_first = query.get("direction", "desc" if query.get("sort", "created") == "created" else "asc") == "asc"
    key = {
        "created": lambda pull: (pull.created_at, pull.number),
        "updated": lambda pull: (pull.updated_at, pull.number),
    }
    found.sort(key=key.get(query.get("sort", "created"), key["created"]), reverse=not oldest_first)
    shown, headers = call.page(found)
    return Answer(200, [short_pull(repo, pull, call.urls, call.viewer) for pull in shown], headers)


@serves("POST", PULLS)
def create(call: Call) -> Answer:
    repo, body = call.repo(), call.body
    sender = call.sender()
    head = str(body.get("head", ""))
    if not repo.allows(sender, "write") and ":" not in head:
        raise Refusal(403, MISSING_RIGHT)
    pull = call.changes.open_pull(
        repo,
        sender,
        head,
        str(body.get("base", "")),
        str(body.get("title", "")),
        body.get("body"),
        bool(body.get("draft")),
    )
    pull.maintainer_can_modify = bool(body.get("maintainer_can_modify", True))
    shown = full_pull(repo, pull, call.urls, call.viewer)
    return Answer(201, shown, {"Location": shown["url"]})


@serves("GET", PULL)
def one(call: Call) -> Answer:
    repo = call.repo()
    return Answer(200, full_pull(repo, call.pull(repo), call.urls, call.viewer))


@serves("PATCH", PULL)
def edit(call: Call) -> Answer:
    repo = call.repo()
    pull = call.pull(repo)
    _author_or(call, repo, pull, "write")
    call.changes.edit_pull(repo, pull, call.body)
    return Answer(200, full_pull(repo, pull, call.urls, call.viewer))


def _author_or(call: Call, repo: Repo, pull: Pull, need: str) -> None:
    if pull.author is not call.sender() and not repo.allows(call.viewer, need):
        raise Refusal(403, MISSING_RIGHT)


@serves("GET", PULL + "/files")
def files(call: Call) -> Answer:
    repo = call.repo()
    pull = call.pull(repo)
    shown, headers = call.page(pull_files(repo, pull))
    return Answer(200, [file_entry(repo, pull.head_sha, file, call.urls) for file in shown], headers)


@serves("GET", PULL + "/commits")
def commits(call: Call) -> Answer:
    repo = call.repo()
    shown, headers = call.page(pull_commits(repo, call.pull(repo)))
    return Answer(200, [commit_entry(repo, commit, call.urls) for commit in shown], headers)


@serves("POST", PULL + "/requested_reviewers")
def request_reviewers(call: Call) -> Answer:
    repo = call.repo("write")
    pull = call.pull(repo)
    for login in call.body.get("reviewers", []):
        account = call.changes.world.accounts.get(login.lower())
        if (
            account is None
            or ROLES.index(repo.role(account)) < ROLES.index("read")
            or not (account is repo.owner or account.login in repo.roles)
        ):
            raise Refusal(
                422,
                "Reviews may only be requested from collaborators. One or more of the users or teams you specified is "
                f"not a collaborator of the {repo.full_name} repository.",
            )
        if account is pull.author:
            raise Refusal(422, "Review cannot be requested from pull request author.")
        if account not in pull.reviewers:
            pull.reviewers.append(account)
    if call.body.get("team_reviewers"):
        raise Refusal(422, "Could not resolve to a node with the global id of 'team'.")
    pull.updated_at = call.changes.world.now()
    return Answer(201, short_pull(repo, pull, call.urls, call.viewer))


@serves("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels")
def add_labels(call: Call) -> Answer:
    repo = call.repo("triage")
    pull = call.pull(repo)
    given = call.body.get("labels", [])
    for name in [each["name"] if isinstance(each, dict) else each for each in given]:
        value = call.changes.label(repo, name)
        if value not in pull.labels:
            pull.labels.append(value)
    pull.updated_at = call.changes.world.now()
    return Answer(200, [label(each, repo, call.urls) for each in pull.labels])


@serves("PUT", PULL + "/update-branch")
def update_branch(call: Call) -> Answer:
    repo = call.repo("write")
    pull = call.pull(repo)
    if pull.state != "open":
        raise invalid("PullRequest", "Pull request is closed")
    call.changes.update_branch(repo, pull, call.body.get("expected_head_sha"), call.sender())
    page = f"{call.urls.web}/{repo.full_name}/pull/{pull.number}"
    return Answer(202, {"message": "Updating pull request branch.", "url": page})


@serves("PUT", PULL + "/merge")
def merge(call: Call) -> Answer:
    repo = call.repo("write")
    pull = call.pull(repo)
    method = call.body.get("merge_method", "merge")
    if pull.state != "open":
        raise Refusal(405, "Pull Request is not mergeable")
    if call.body.get("sha", pull.head_sha) != pull.head_sha:
        raise Refusal(409, "Head branch was modified. Review and try the merge again.")
    if method not in repo.merge_methods:
        raise Refusal(405, f"{NOT_ALLOWED[method]} not allowed on this repository.")
    if pull.draft:
        raise Refusal(405, "Pull Request is still a draft")
    if why := hindrance(repo, pull):
        raise Refusal(405, why)
    if repo.protections.get(pull.base) and repo.protections[pull.base].strict:
        base = repo.git.branch(pull.base) or pull.base_sha
        if not repo.git.contains(pull.head_sha, base):
            raise Refusal(405, "The head branch is not up to date with the base branch.")
    message = (str(call.body.get("commit_title", "")), str(call.body.get("commit_message", "")))
    merged = call.changes.merge(repo, pull, call.sender(), method, message)
    return Answer(200, {"sha": merged, "merged": True, "message": "Pull Request successfully merged"})
