"""The values of the connection to GitHub."""

import pytest

from desktop.domain.github.values import GitHubAccount, GitHubError, RateState, read_only_reason
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryFacts, RepositoryId

APP = RepositoryId(host="github.com", owner="octo", name="app")
ACCOUNT = GitHubAccount(host="github.com", api_url="https://api.github.com", state="connected", login="octo")


def test_an_error_tells_its_kind_and_its_sentence() -> None:
    error = GitHubError(ForgeProblem(kind="conflict", text="It changed."), status=409)
    assert (error.kind, str(error), error.answer_lost) == ("conflict", "It changed.", False)


def test_polling_is_slow_below_a_tenth_of_the_quota() -> None:
    assert not RateState(host="github.com", share=0.1).slow
    assert RateState(host="github.com", share=0.09).slow


@pytest.mark.parametrize(
    ("scopes", "private", "archived", "read_only", "words"),
    [
        ((), True, False, "", ""),
        (("repo",), True, False, "", ""),
        (("public_repo",), False, False, "", ""),
        (("public_repo",), None, False, "", ""),
        (("public_repo",), True, False, "", "The token lacks the right repo, which the private octo/app needs."),
        (("repo",), True, True, "", "octo/app is archived, so it can only be read."),
        ((), False, True, "No right.", "No right."),
    ],
)
def test_why_nothing_can_be_written_is_told(
    scopes: tuple[str, ...], private: bool | None, archived: bool, read_only: str, words: str
) -> None:
    account = ACCOUNT.model_copy(update={"scopes": scopes, "read_only": read_only})
    assert read_only_reason(account, RepositoryFacts(repository=APP, private=private, archived=archived)) == words
