"""REST: who am I, a repository, and removing a branch."""

from tests.fakes.github.router import Call, serves
from tests.fakes.github.shapes import full_repo, own_user, user
from tests.fakes.github.wire import Answer, Refusal, not_found


@serves("GET", "/user")
def who_am_i(call: Call) -> Answer:
    return Answer(200, own_user(call.sender(), call.urls, call.changes.world.now()))


@serves("GET", "/users/{username}")
def one_user(call: Call) -> Answer:
    account = call.changes.world.accounts.get(call.params["username"].lower())
    if account is None:
        raise not_found()
    shown = own_user(account, call.urls, call.changes.world.now())
    public = ("notification_email", "private_gists", "total_private_repos", "owned_private_repos", "disk_usage",
              "collaborators", "two_factor_authentication")  # fmt: skip
    return Answer(200, {name: value for name, value in shown.items() if name not in public} | user(account, call.urls))


@serves("GET", "/repos/{owner}/{repo}")
def one_repo(call: Call) -> Answer:
    return Answer(200, full_repo(call.repo(), call.urls, call.viewer))


@serves("DELETE", "/repos/{owner}/{repo}/git/refs/{ref}")
def remove_ref(call: Call) -> Answer:
    repo = call.repo("write")
    kind, _, branch = call.params["ref"].partition("/")
    if kind != "heads" or repo.git.branch(branch) is None:
        raise Refusal(422, "Reference does not exist")
    if branch == repo.default_branch or branch in repo.protections:
        raise Refusal(422, "Cannot delete this protected branch" if branch in repo.protections else
                      "Cannot delete the default branch")  # fmt: skip
    call.changes.set_branch(repo, branch, None, call.sender())
    return Answer(204)
