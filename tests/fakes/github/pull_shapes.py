"""Pull requests, their commits, files, reviews and comments as REST shows them."""

from typing import Any
from urllib.parse import quote

from tests.fakes.github.diffs import FileChange, changes
from tests.fakes.github.git_repository import CommitFacts
from tests.fakes.github.mergeability import base_now, mergeable, mergeable_state
from tests.fakes.github.model import Account, Comment, Pull, Repo, Review
from tests.fakes.github.router import Urls
from tests.fakes.github.shapes import label, moment, simple_repo, user

LINKS = {
    "comments": "/issues/{n}/comments", "commits": "/pulls/{n}/commits", "statuses": "/statuses/{sha}",
    "issue": "/issues/{n}", "review_comments": "/pulls/{n}/comments", "review_comment": "/pulls/comments{{/number}}",
    "self": "/pulls/{n}",
}  # fmt: skip


def association(repo: Repo, account: Account) -> str:
    """How that account belongs to the repository."""
    if account.login == repo.owner.login:
        return "OWNER"
    return "COLLABORATOR" if repo.roles.get(account.login, "none") != "none" else "NONE"


def pull_files(repo: Repo, pull: Pull) -> list[FileChange]:
    """What it changes, from where it left its base."""
    start = repo.git.merge_base(base_now(repo, pull), pull.head_sha)
    return changes(repo.git, start or pull.base_sha, pull.head_sha)


def pull_commits(repo: Repo, pull: Pull) -> list[CommitFacts]:
    """Its commits, oldest first."""
    return repo.git.log(f"{base_now(repo, pull)}..{pull.head_sha}")


def short_pull(repo: Repo, pull: Pull, urls: Urls, viewer: Account | None) -> dict[str, Any]:
    """As a list shows it."""
    place, page = f"{urls.api}/repos/{repo.full_name}", f"{urls.web}/{repo.full_name}/pull/{pull.number}"
    links = {name: place + text.format(n=pull.number, sha=pull.head_sha) for name, text in LINKS.items()}
    addresses = {f"{name}_url": to for name, to in links.items() if name != "self"}
    source = pull.head_repo
    head = {"label": f"{pull.head_owner}:{pull.head}", "ref": pull.head, "sha": pull.head_sha,
            "user": user(source.owner if source else pull.author, urls),
            "repo": simple_repo(source or repo, urls, viewer)}  # fmt: skip
    base = {"label": f"{repo.owner.login}:{pull.base}", "ref": pull.base, "sha": base_now(repo, pull),
            "user": user(repo.owner, urls), "repo": simple_repo(repo, urls, viewer)}  # fmt: skip
    return {
        "url": links["self"], "id": pull.id, "node_id": pull.node_id, "html_url": page, "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch", **addresses, "number": pull.number, "state": pull.state, "locked": False,
        "title": pull.title, "user": user(pull.author, urls), "body": pull.body,
        "labels": [label(each, repo, urls) for each in pull.labels], "milestone": None, "active_lock_reason": None,
        "created_at": moment(pull.created_at), "updated_at": moment(pull.updated_at),
        "closed_at": moment(pull.closed_at), "merged_at": moment(pull.merged_at),
        "merge_commit_sha": pull.merge_commit_sha, "assignee": None, "assignees": [],
        "requested_reviewers": [user(each, urls) for each in pull.reviewers], "requested_teams": [],
        "head": head, "base": base, "author_association": association(repo, pull.author), "auto_merge": None,
        "draft": pull.draft, "_links": {"html": {"href": page}, **{name: {"href": to} for name, to in links.items()}},
    }  # fmt: skip


def full_pull(repo: Repo, pull: Pull, urls: Urls, viewer: Account | None) -> dict[str, Any]:
    """As it is shown alone; the counts and whether it can be merged are git's."""
    can_merge = mergeable(repo, pull)
    files = pull_files(repo, pull)
    return {
        **short_pull(repo, pull, urls, viewer), "merged": pull.merged, "mergeable": can_merge, "rebaseable": can_merge,
        "mergeable_state": mergeable_state(repo, pull, can_merge),
        "merged_by": user(pull.merged_by, urls) if pull.merged_by else None, "comments": len(pull.comments),
        "review_comments": sum(len(thread.comments) for thread in pull.threads),
        "maintainer_can_modify": pull.maintainer_can_modify, "commits": len(pull_commits(repo, pull)),
        "additions": sum(file.additions for file in files), "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }  # fmt: skip


def file_entry(repo: Repo, sha: str, file: FileChange, urls: Urls) -> dict[str, Any]:
    """A file of a pull request; without `patch` if it is binary."""
    path = quote(file.path)
    page = f"{urls.web}/{repo.full_name}"
    shown: dict[str, Any] = {
        "sha": file.blob, "filename": file.path, "status": file.status, "additions": file.additions,
        "deletions": file.deletions, "changes": file.additions + file.deletions,
        "blob_url": f"{page}/blob/{sha}/{path}", "raw_url": f"{page}/raw/{sha}/{path}",
        "contents_url": f"{urls.api}/repos/{repo.full_name}/contents/{path}?ref={sha}",
    }  # fmt: skip
    if file.patch is not None:
        shown["patch"] = file.patch
    return {**shown, "previous_filename": file.old_path} if file.status == "renamed" else shown


def commit_entry(repo: Repo, commit: CommitFacts, urls: Urls) -> dict[str, Any]:
    """A commit; its people are not matched with accounts."""
    place, page = f"{urls.api}/repos/{repo.full_name}", f"{urls.web}/{repo.full_name}/commit"
    own = f"{place}/commits/{commit.sha}"
    git = f"{place}/git/commits/{commit.sha}"
    verification = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    people = {
        role: dict(zip(("name", "email", "date"), who, strict=True))
        for role, who in (("author", commit.author), ("committer", commit.committer))
    }
    return {
        "url": own, "sha": commit.sha, "node_id": f"C_kwDO{commit.sha}", "html_url": f"{page}/{commit.sha}",
        "comments_url": f"{own}/comments", "author": {}, "committer": {},
        "commit": {"url": git, **people, "message": commit.message, "comment_count": 0,
                   "tree": {"sha": commit.tree, "url": f"{place}/git/trees/{commit.tree}"},
                   "verification": verification},
        "parents": [
            {"sha": sha, "url": f"{place}/commits/{sha}", "html_url": f"{page}/{sha}"} for sha in commit.parents
        ],
    }  # fmt: skip


def review_entry(repo: Repo, pull: Pull, review: Review, urls: Urls) -> dict[str, Any]:
    """A review."""
    page = f"{urls.web}/{repo.full_name}/pull/{pull.number}#pullrequestreview-{review.id}"
    place = f"{urls.api}/repos/{repo.full_name}/pulls/{pull.number}"
    shown = {
        "id": review.id, "node_id": f"PRR_kwDO{review.id:08x}", "user": user(review.author, urls), "body": review.body,
        "state": review.state, "html_url": page, "pull_request_url": place, "commit_id": review.sha,
        "_links": {"html": {"href": page}, "pull_request": {"href": place}},
        "author_association": association(repo, review.author),
    }  # fmt: skip
    return shown if review.state == "PENDING" else {**shown, "submitted_at": moment(review.submitted_at)}


def comment_entry(repo: Repo, pull: Pull, comment: Comment, urls: Urls) -> dict[str, Any]:
    """A comment in the conversation."""
    place = f"{urls.api}/repos/{repo.full_name}"
    counts = ("total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    own = f"{place}/issues/comments/{comment.id}"
    return {
        "id": comment.id, "node_id": f"IC_kwDO{comment.id:08x}", "url": own, "body": comment.body,
        "html_url": f"{urls.web}/{repo.full_name}/pull/{pull.number}#issuecomment-{comment.id}",
        "issue_url": f"{place}/issues/{pull.number}", "user": user(comment.author, urls),
        "created_at": moment(comment.created_at), "updated_at": moment(comment.updated_at),
        "author_association": association(repo, comment.author), "performed_via_github_app": None,
        "reactions": {"url": f"{own}/reactions", **dict.fromkeys(counts, 0)},
    }  # fmt: skip
