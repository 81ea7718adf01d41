"""REST: what a branch wants before something is merged into it."""

from tests.fakes.github.model import Protection, Repo
from tests.fakes.github.pull_shapes import commit_entry
from tests.fakes.github.router import Call, serves
from tests.fakes.github.wire import Answer, not_found

REPO = "/repos/{owner}/{repo}"


def _protection(repo: Repo, branch: str) -> Protection:
    if repo.git.branch(branch) is None:
        raise not_found()
    return repo.protections.get(branch, Protection())


@serves("GET", REPO + "/branches/{branch}")
def one_branch(call: Call) -> Answer:
    repo, name = call.repo(), call.params["branch"]
    rules, head = _protection(repo, name), repo.git.branch(name) or ""
    own = f"{call.urls.api}/repos/{repo.full_name}/branches/{name}"
    checks = () if rules.by_ruleset else rules.required_checks
    body = {
        "name": name, "commit": commit_entry(repo, repo.git.show(head), call.urls),
        "_links": {"html": f"{call.urls.web}/{repo.full_name}/tree/{name}", "self": own},
        "protected": name in repo.protections, "protection_url": f"{own}/protection",
        "protection": {
            "enabled": name in repo.protections,
            "required_status_checks": {
                "enforcement_level": "non_admins" if checks else "off", "contexts": list(checks),
                "checks": [{"context": check, "app_id": None} for check in checks],
            },
        },
    }  # fmt: skip
    return Answer(200, body)


@serves("GET", REPO + "/rules/branches/{branch}")
def rules_of_branch(call: Call) -> Answer:
    repo, name = call.repo(), call.params["branch"]
    rules = _protection(repo, name)
    source = {"ruleset_source_type": "Repository", "ruleset_source": repo.full_name, "ruleset_id": repo.id}
    wanted = {
        "required_status_checks": [{"context": check} for check in rules.required_checks],
        "strict_required_status_checks_policy": rules.strict,
    }
    rule = {"type": "required_status_checks", "parameters": wanted, **source}
    shown, headers = call.page([rule] if rules.by_ruleset and rules.required_checks else [])
    return Answer(200, shown, headers)
