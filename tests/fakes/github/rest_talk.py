"""REST: comments in the conversation and reviews."""

from typing import Any

from tests.fakes.github.pull_shapes import comment_entry, review_entry
from tests.fakes.github.router import Call, serves
from tests.fakes.github.talk import add_comment, add_review, add_thread
from tests.fakes.github.wire import Answer, Refusal, invalid

COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"
STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", "": "PENDING"}


@serves("GET", COMMENTS)
def comments(call: Call) -> Answer:
    repo = call.repo()
    pull = call.pull(repo)
    since = call.request.query.get("since", "")
    entries = [comment_entry(repo, pull, comment, call.urls) for comment in pull.comments]
    shown, headers = call.page([entry for entry in entries if entry["updated_at"] >= since])
    return Answer(200, shown, headers)


@serves("POST", COMMENTS)
def comment(call: Call) -> Answer:
    repo = call.repo()
    sender, pull = call.sender(), call.pull(repo)
    body = str(call.body.get("body", ""))
    if not body.strip():
        raise invalid("IssueComment", "Body cannot be blank", field="body", code="missing_field")
    entry = comment_entry(repo, pull, add_comment(call.changes.world, pull, sender, body), call.urls)
    return Answer(201, entry, {"Location": entry["url"]})


@serves("GET", REVIEWS)
def reviews(call: Call) -> Answer:
    repo = call.repo()
    pull = call.pull(repo)
    seen = [each for each in pull.reviews if each.state != "PENDING" or each.author is call.viewer]
    shown, headers = call.page(seen)
    return Answer(200, [review_entry(repo, pull, review, call.urls) for review in shown], headers)


@serves("POST", REVIEWS)
def review(call: Call) -> Answer:
    repo = call.repo()
    sender, pull = call.sender(), call.pull(repo)
    event, body = str(call.body.get("event", "")), str(call.body.get("body", ""))
    remarks: list[dict[str, Any]] = call.body.get("comments", [])
    if event in {"APPROVE", "REQUEST_CHANGES"} and sender is pull.author:
        word = "approve" if event == "APPROVE" else "request changes on"
        raise Refusal(422, f"Can not {word} your own pull request")
    if event in {"REQUEST_CHANGES", "COMMENT"} and not body and not remarks:
        raise Refusal(422, "Unprocessable Entity")
    made = add_review(call.changes.world, pull, sender, STATES[event], body)
    for remark in remarks:
        place = (remark["path"], remark.get("line", 0), remark.get("side", "RIGHT"), remark.get("start_line"))
        add_thread(call.changes.world, repo, pull, sender, place, remark["body"], made)
    return Answer(200, review_entry(repo, pull, made, call.urls))
