"""Accounts, repositories, labels and apps as REST shows them."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from tests.fakes.github.model import ROLES, Account, App, Label, Repo
from tests.fakes.github.router import Urls

REPO_LISTS = (
    "assignees", "branches", "collaborators", "comments", "commits", "contributors", "deployments", "downloads",
    "events", "forks", "hooks", "keys", "labels", "languages", "merges", "milestones", "notifications", "pulls",
    "releases", "stargazers", "subscribers", "subscription", "tags", "teams",
)  # fmt: skip
REPO_PLACES = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}", "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}", "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}", "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}", "statuses_url": "/statuses/{sha}", "trees_url": "/git/trees{/sha}",
}  # fmt: skip
USER_PLACES = {
    "followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions", "organizations_url": "/orgs",
    "repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
}  # fmt: skip
FEATURES = ("has_issues", "has_projects", "has_wiki", "has_downloads")


def moment(time: datetime | None) -> Any:
    """A time as GitHub writes it, or None."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time is not None else None


def user(account: Account, urls: Urls) -> dict[str, Any]:
    """The short form of an account."""
    place = f"{urls.api}/users/{quote(account.login)}"
    bot = account.login.endswith("[bot]")
    page = f"apps/{account.login.removesuffix('[bot]')}" if bot else account.login
    return {
        "login": account.login, "id": account.id, "node_id": account.node_id,
        "avatar_url": f"{urls.web}/avatars/u/{account.id}", "gravatar_id": "", "url": place,
        "html_url": f"{urls.web}/{page}", **{name: place + rest for name, rest in USER_PLACES.items()},
        "type": account.type, "site_admin": False, "user_view_type": "public",
    }  # fmt: skip


def own_user(account: Account, urls: Urls, since: datetime) -> dict[str, Any]:
    """An account as its owner sees it."""
    counts = ("public_repos", "public_gists", "followers", "following", "private_gists", "total_private_repos",
              "owned_private_repos", "disk_usage", "collaborators")  # fmt: skip
    unknown = ("company", "blog", "location", "email", "notification_email", "hireable", "bio", "twitter_username")
    return {
        **user(account, urls), "user_view_type": "private", "name": account.name or None, **dict.fromkeys(unknown),
        **dict.fromkeys(counts, 0), "two_factor_authentication": True,
        "created_at": moment(since), "updated_at": moment(since),
    }  # fmt: skip


def label(value: Label, repo: Repo, urls: Urls) -> dict[str, Any]:
    """A label of a repository."""
    return {
        "id": value.id, "node_id": f"LA_kwDO{value.id:08x}", "name": value.name, "color": value.color, "default": False,
        "url": f"{urls.api}/repos/{repo.full_name}/labels/{value.name}", "description": "",
    }  # fmt: skip


def app(value: App, owner: Account, urls: Urls, since: datetime) -> dict[str, Any]:
    """An app."""
    return {
        "id": value.id, "slug": value.slug, "node_id": f"A_kwDO{value.id:08x}", "owner": user(owner, urls),
        "name": value.name, "description": "", "external_url": f"{urls.web}/{value.slug}",
        "html_url": f"{urls.web}/apps/{value.slug}", "created_at": moment(since), "updated_at": moment(since),
        "permissions": {"checks": "write", "metadata": "read"}, "events": [],
    }  # fmt: skip


def minimal_repo(repo: Repo, urls: Urls) -> dict[str, Any]:
    """The part of a repository that all forms share."""
    place = f"{urls.api}/repos/{repo.full_name}"
    return {
        "id": repo.id, "node_id": repo.node_id, "name": repo.name, "full_name": repo.full_name,
        "owner": user(repo.owner, urls), "private": repo.private, "html_url": f"{urls.web}/{repo.full_name}",
        "description": None, "fork": repo.parent is not None, "url": place,
        **{f"{name}_url": f"{place}/{name}" for name in REPO_LISTS},
        **{name: place + rest for name, rest in REPO_PLACES.items()},
    }  # fmt: skip


def simple_repo(repo: Repo, urls: Urls, viewer: Account | None) -> dict[str, Any]:
    """A repository as pull requests hold it."""
    host = urls.web.split("://", 1)[1]
    counts = ("forks_count", "stargazers_count", "watchers_count", "size", "open_issues_count", "forks", "open_issues",
              "watchers")  # fmt: skip
    return {
        **minimal_repo(repo, urls), "default_branch": repo.default_branch, "license": None, "mirror_url": None,
        "git_url": f"git://{host}/{repo.full_name}.git", "ssh_url": f"git@{host}:{repo.full_name}.git",
        "clone_url": f"{urls.web}/{repo.full_name}.git", "svn_url": f"{urls.web}/{repo.full_name}",
        "homepage": None, "language": None, **dict.fromkeys(counts, 0), **dict.fromkeys(FEATURES, True),
        "has_pages": False, "has_discussions": False, "archived": repo.archived, "disabled": False, "topics": [],
        "visibility": "private" if repo.private else "public", "is_template": False, "allow_forking": True,
        "web_commit_signoff_required": False, "pushed_at": moment(repo.created_at),
        "created_at": moment(repo.created_at), "updated_at": moment(repo.created_at),
        **({"permissions": permissions(repo, viewer)} if viewer is not None else {}),
    }  # fmt: skip


def full_repo(repo: Repo, urls: Urls, viewer: Account | None) -> dict[str, Any]:
    """A repository asked for by its name."""
    shown = {**simple_repo(repo, urls, viewer), "network_count": 0, "subscribers_count": 0}
    if repo.allows(viewer, "write"):
        shown |= {
            "allow_merge_commit": "merge" in repo.merge_methods, "allow_squash_merge": "squash" in repo.merge_methods,
            "allow_rebase_merge": "rebase" in repo.merge_methods, "allow_auto_merge": False,
            "delete_branch_on_merge": repo.delete_branch_on_merge, "allow_update_branch": True,
        }  # fmt: skip
    if repo.parent is not None:
        shown |= {"parent": simple_repo(repo.parent, urls, viewer), "source": simple_repo(repo.parent, urls, viewer)}
    return shown


def permissions(repo: Repo, viewer: Account | None) -> dict[str, bool]:
    """What the viewer may do there, in GitHub's words."""
    names = {"read": "pull", "triage": "triage", "write": "push", "maintain": "maintain", "admin": "admin"}
    return {names[role]: repo.allows(viewer, role) for role in ROLES[1:]}
