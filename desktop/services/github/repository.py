"""RepositoryCalls: what a repository is, what it wants of branches, and taking a branch away."""

from urllib.parse import quote

from pydantic import TypeAdapter

from desktop.domain.github import GitHubError
from desktop.domain.pull_request import OwnFork, RepositoryFacts, RepositoryId
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.transport import all_of
from desktop.services.github.values import repository_facts

_RULES = TypeAdapter(list[rest.Rule]).validate_json


class RepositoryCalls:
    """Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def facts(self) -> RepositoryFacts:
        """What the account may do here. A repository that was renamed is followed: from now on its new name counts."""
        told = await self._place.transport.get(self._place.path(), rest.Repository)
        facts = repository_facts(self._place.repository.host, told)
        if facts.repository != self._place.repository:
            self._place.repository = facts.repository
            self._place.renamed(facts.repository)
        return facts

    async def own_fork(self) -> OwnFork | None:
        """The account's fork of this repository, by the same name; None: it has none."""
        here, viewer = self._place.repository, self._place.viewer
        if not viewer or viewer.casefold() == here.owner.casefold():
            return None
        try:
            told = await self._place.transport.get(f"/repos/{quote(viewer)}/{here.name}", rest.Repository)
        except GitHubError as error:
            if error.kind == "not_found":
                return None
            raise
        made_from = {f"{one.owner.login}/{one.name}".casefold() for one in (told.parent, told.source) if one}
        if here.slug.casefold() not in made_from or told.archived or not told.permissions.push:
            return None
        found = RepositoryId(host=here.host, owner=told.owner.login, name=told.name)
        return OwnFork(repository=found, https=told.clone_url, ssh=told.ssh_url)

    async def required_checks(self, branch: str) -> frozenset[str] | None:
        """Names of the checks without which nothing is merged into this branch. None: the account may not know."""
        name = quote(branch, safe="")
        try:
            told = await self._place.transport.get(self._place.path(f"/branches/{name}"), rest.Branch)
            rules = await self._place.transport.listed(self._place.path(f"/rules/branches/{name}"), _RULES, all_of)
        except GitHubError as error:
            if error.kind in ("forbidden", "not_found"):
                return None
            raise
        wanted = told.protection.required_status_checks if told.protection is not None else None
        names = set(wanted.contexts if wanted is not None else ())
        for rule in rules.items:
            if rule.type == "required_status_checks" and rule.parameters is not None:
                names |= {one.context for one in rule.parameters.required_status_checks}
        return frozenset(names)

    async def delete_branch(self, branch: str) -> None:
        """The branch is gone; one that was gone already is fine."""
        try:
            await self._place.transport.write("DELETE", self._place.path(f"/git/refs/heads/{quote(branch)}"))
        except GitHubError as error:
            if error.kind != "not_found" and "does not exist" not in error.said:
                raise
