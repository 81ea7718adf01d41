"""The inventory of a pull request: what there is to fix, kept in step with what the forge tells. Pure.

Syncing twice with the same snapshot changes nothing the second time. Only a person brings back what was ignored, or a
new word in its thread.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from desktop.domain.core.errors import CommandError
from desktop.domain.pulls.pull_request import Check, Comment, PullSnapshot, ReviewThread
from desktop.domain.rounds.items import Availability, IssueItem, ItemState, ItemType, Scope
from desktop.domain.rounds.reading import acknowledges, fingerprint_of, headline_of, is_noise, severity_of, source_of

BODY_CHARS = 20_000
REASON_CHARS = 500
ESCALATES_AT = 2
_SEEN: tuple[ItemState, ...] = ("fixed", "dismissed", "escalated")


def availability(snapshot: PullSnapshot | None, items: Iterable[IssueItem] = ()) -> Availability:
    """The number of things of each kind that can be given to an agent (lanes-P9, lanes-P10, lanes-P11). What was not
    told just now is unknown."""
    told = _told_parts(snapshot)
    checks, threads, comments = "checks" in told, "threads" in told, "comments" in told
    failing = len(snapshot.failing) if snapshot is not None and checks else None
    pending = len(snapshot.pending) if snapshot is not None and checks else None
    open_threads = len(snapshot.open_threads) if snapshot is not None and threads else None
    new = sum(1 for item in items if item.type == "comment" and item.state == "new") if comments else None
    why_checks = _why_checks(failing, pending)
    why_comments = "" if open_threads or new else _why_comments(open_threads, new)
    can_check, can_comment = not why_checks, not why_comments
    both = can_check and can_comment
    return Availability(
        failing=failing,
        pending=pending,
        open_threads=open_threads,
        new_comments=new,
        checks=can_check,
        comments=can_comment,
        default="both" if both else "checks" if can_check else "comments" if can_comment else "",
        why_checks=why_checks,
        why_comments=why_comments,
    )


def synced(
    items: Sequence[IssueItem], snapshot: PullSnapshot, now: datetime, ours: Collection[str] = frozenset()
) -> tuple[IssueItem, ...]:
    """The inventory as it is with this snapshot (lanes-P18), oldest first; parts that were not told change nothing.

    `ours`: ids of the comments that this app's agent wrote.
    """
    known = {item.id: item for item in items}
    if "checks" in snapshot.known:
        for name, runs in _by_name(snapshot.checks).items():
            _put(known, _check(known.get(f"check:{name}"), name, runs, now))
    if "threads" in snapshot.known:
        for thread in snapshot.threads:
            _put(known, _thread(known, thread, now, ours))
        _gone(known, "thread", {thread.id for thread in snapshot.threads}, snapshot, now)
    if "comments" in snapshot.known:
        for comment in snapshot.comments:
            _put(known, _comment(known, comment, now, ours))
        _gone(known, "comment", {comment.id for comment in snapshot.comments}, snapshot, now)
    return tuple(known.values())


def in_scope(items: Iterable[IssueItem], scope: Scope) -> tuple[IssueItem, ...]:
    """The items of that scope, in order."""
    kinds = {"checks": ("check",), "comments": ("thread", "comment"), "both": ("check", "thread", "comment")}[scope]
    return tuple(item for item in items if item.type in kinds)


def changed_state(
    items: Sequence[IssueItem], ids: Collection[str], to: ItemState, now: datetime, reason: str = ""
) -> tuple[IssueItem, ...]:
    """Items that a person ignores (`dismissed`), escalates, or restores (`new`).

    Raises:
        CommandError: an item is not there, the state is none that a person gives, or a reason is missing.
    """
    reason = " ".join(reason.split())[:REASON_CHARS]
    missing = set(ids) - {item.id for item in items}
    if missing or not ids:
        raise CommandError("unknown_item", "This item is not in the list any more.")
    if to not in ("dismissed", "escalated", "new"):
        raise CommandError("bad_state", "A person can ignore, restore or escalate an item.")
    if to == "dismissed" and not reason:
        raise CommandError("no_reason", "Say why it is ignored.")
    update = {"state": to, "reason": reason, "last_change": now}
    return tuple(item.model_copy(update=update) if item.id in ids and item.state != to else item for item in items)


def sent(
    items: Sequence[IssueItem], ids: Collection[str], round_number: int, session_id: str, now: datetime
) -> tuple[IssueItem, ...]:
    """The inventory after these items were sent to an agent, in a chat that has begun (lanes-P29)."""
    update = {
        "state": "sent_to_agent",
        "round": round_number,
        "session_id": session_id,
        "last_change": now,
        "reason": "",
    }
    return tuple(item.model_copy(update=update) if item.id in ids else item for item in items)


def taken_back(items: Sequence[IssueItem], session_id: str, now: datetime) -> tuple[IssueItem, ...]:
    """The inventory after the items sent to this chat are new again, because it did not begin."""
    update = {"state": "new", "session_id": "", "last_change": now}
    return tuple(
        item.model_copy(update=update) if item.state == "sent_to_agent" and item.session_id == session_id else item
        for item in items
    )


def came_back(
    items: Sequence[IssueItem], snapshot: PullSnapshot, round_number: int, now: datetime, ours: Collection[str]
) -> tuple[IssueItem, ...]:
    """After a round: what it was given and left as it was is new again. Checks must have completed.

    A check that fails still, and a thread that is open and got no word of the agent.
    """
    failing = {check.name for check in snapshot.failing} if "checks" in snapshot.known else set()
    silent = (
        {thread.id for thread in snapshot.open_threads if not (thread.comments and thread.comments[-1].id in ours)}
        if "threads" in snapshot.known
        else set()
    )
    left = {f"check:{name}" for name in failing} | {f"thread:{ref}" for ref in silent}
    return tuple(
        item.model_copy(update={"state": "new", "last_change": now, "seen_in": round_number})
        if item.id in left and item.state == "sent_to_agent" and item.round == round_number
        else item
        for item in items
    )


def current_round(items: Iterable[IssueItem], before: int = 0) -> int:
    """The highest round of any item; never lower than `before` (lanes-P21)."""
    return max([before, *(item.round for item in items)])


def _told_parts(snapshot: PullSnapshot | None) -> frozenset[str]:
    if snapshot is None or snapshot.pull is None or snapshot.problem is not None:
        return frozenset()
    return frozenset(snapshot.known)


def _why_checks(failing: int | None, pending: int | None) -> str:
    if failing is None or pending is None:
        return "How the checks stand is not known."
    if pending:
        one = pending == 1
        return "Wait: 1 check is still running." if one else f"Wait: {pending} checks are still running."
    return "" if failing else "No check fails."


def _why_comments(open_threads: int | None, new: int | None) -> str:
    if open_threads is None or new is None:
        return "Which comments there are is not known."
    return "No thread is open and no comment is new."


def _put(known: dict[str, IssueItem], item: IssueItem | None) -> None:
    if item is not None:
        known[item.id] = item


def _moved(item: IssueItem, now: datetime, **changes: object) -> IssueItem:
    """The item with these changes; its time moves only with its state."""
    changed = item.model_copy(update=changes)
    if changed == item:
        return item
    return changed.model_copy(update={"last_change": now}) if changed.state != item.state else changed


# Checks


def _by_name(checks: Iterable[Check]) -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for check in checks:
        found.setdefault(check.name, []).append(check)
    return found


def _check(item: IssueItem | None, name: str, runs: list[Check], now: datetime) -> IssueItem | None:
    bad = [run for run in runs if run.outcome == "bad"]
    if not bad:
        over = item is not None and item.state != "dismissed" and all(run.outcome == "ok" for run in runs)
        return _moved(item, now, state="fixed", reason="It passed.") if over and item is not None else item
    run = bad[0]
    body = run.title.strip() or run.conclusion.replace("_", " ")
    if item is None:
        found = IssueItem(
            id=f"check:{name}",
            type="check",
            ref=name,
            source="check",
            severity="major",
            headline=name,
            body=body,
            author=run.app,
            url=run.url,
            latest_id=str(run.id),
            first_seen=now,
            last_change=now,
        )
        return found.model_copy(update={"fingerprint": fingerprint_of("check", "check", "", name, name)})
    fresh = {"body": body, "url": run.url, "latest_id": str(run.id)}
    if item.state == "fixed":
        again = {"round": 0, "session_id": "", "returned": item.returned + 1, "seen_in": item.round or item.seen_in}
        return _moved(item, now, state="new", reason="", **fresh, **again)
    if item.state == "sent_to_agent" and item.latest_id != str(run.id) and not _pending(runs):
        return _moved(item, now, state="new", seen_in=item.round, **fresh)
    return item if _pending(runs) else _moved(item, now, **fresh)


def _pending(runs: Iterable[Check]) -> bool:
    return any(run.outcome == "pending" for run in runs)


# Threads and comments


def _thread(
    known: dict[str, IssueItem], thread: ReviewThread, now: datetime, ours: Collection[str]
) -> IssueItem | None:
    counting = [comment for comment in thread.comments if comment.id not in ours or comment.edited_at is not None]
    item = known.get(f"thread:{thread.id}")
    last = counting[-1] if counting else None
    done = last is not None and last.id not in ours and acknowledges(last.author, last.body)
    if item is None:
        first = thread.comments[0] if thread.comments else None
        if not thread.open or done or first is None or last is None or is_noise(first.author, first.body):
            return None
        found = _found("thread", thread.id, first, last, now)
        place = {"path": thread.path, "line": thread.line or thread.start_line, "url": thread.url or first.url}
        found = _named(found.model_copy(update={**place, "comments": len(thread.comments)}), first)
        return _as_returned(known, found)
    spoke = _spoke(item, last)
    fresh: dict[str, object] = {"closed": not thread.open, "comments": len(thread.comments), **_mark(item, last)}
    return _moved(item, now, **fresh, **_after(item, closed=not thread.open, done=done, spoke=spoke))


def _after(item: IssueItem, *, closed: bool, done: bool, spoke: bool) -> dict[str, object]:
    """What becomes of a tracked thread. One that was ignored stays so until somebody writes in it."""
    if spoke and not done and not (closed and not item.closed):
        return {} if item.state in ("new", "escalated") else {"state": "new", "reason": ""}
    if item.state in ("fixed", "dismissed"):
        reopened = item.state == "fixed" and item.closed and not closed and not done
        return {"state": "new", "reason": ""} if reopened else {}
    if done:
        return {"state": "fixed", "reason": "A person said so."}
    if closed and not item.closed:
        return {"state": "fixed", "reason": "Resolved or outdated."}
    return {}


def _comment(known: dict[str, IssueItem], comment: Comment, now: datetime, ours: Collection[str]) -> IssueItem | None:
    item = known.get(f"comment:{comment.id}")
    if item is None:
        if comment.id in ours or is_noise(comment.author, comment.body) or acknowledges(comment.author, comment.body):
            return None
        found = _found("comment", comment.id, comment, comment, now)
        return _as_returned(known, _named(found.model_copy(update={"comments": 1}), comment))
    if not _spoke(item, comment):
        return item
    fresh = {**_mark(item, comment), "body": comment.body[:BODY_CHARS], "headline": _headline(comment)}
    state = item.state if item.state in ("new", "escalated") else "new"
    return _moved(item, now, state=state, **fresh)


def _found(kind: ItemType, ref: str, first: Comment, last: Comment, now: datetime) -> IssueItem:
    return IssueItem(
        id=f"{kind}:{ref}",
        type=kind,
        ref=ref,
        source=source_of(first.author),
        severity=severity_of(first.body),
        headline="",
        body=first.body[:BODY_CHARS],
        author=first.author.login,
        url=first.url,
        latest_id=last.id,
        latest_at=last.edited_at or last.created_at,
        first_seen=now,
        last_change=now,
    )


def _headline(comment: Comment, path: str = "") -> str:
    return headline_of(comment.body, path, comment.author.login)


def _named(item: IssueItem, first: Comment) -> IssueItem:
    headline = _headline(first, item.path)
    mark = fingerprint_of(item.type, item.source, item.path, first.body, headline)
    return item.model_copy(update={"headline": headline, "fingerprint": mark})


def _as_returned(known: dict[str, IssueItem], item: IssueItem) -> IssueItem:
    """A finding that was fixed or ignored before and came under a new id; from its second return a person is needed."""
    same = [one for one in known.values() if one.fingerprint == item.fingerprint]
    before = [one for one in same if one.state in _SEEN]
    if not before:
        return item
    returned = 1 + max(one.returned for one in same)
    seen = max(one.round or one.seen_in for one in before)
    state: ItemState = "escalated" if returned >= ESCALATES_AT else "new"
    reason = "It came back twice." if state == "escalated" else ""
    return item.model_copy(update={"returned": returned, "seen_in": seen, "state": state, "reason": reason})


def _spoke(item: IssueItem, last: Comment | None) -> bool:
    """Whether somebody wrote or changed the last word since."""
    if last is None:
        return False
    at = last.edited_at or last.created_at
    if at is None or item.latest_at is None:
        return last.id != item.latest_id
    return at > item.latest_at or (at == item.latest_at and last.id != item.latest_id)


def _mark(item: IssueItem, last: Comment | None) -> dict[str, object]:
    if last is None or not _spoke(item, last):
        return {}
    return {"latest_id": last.id, "latest_at": last.edited_at or last.created_at}


def _gone(known: dict[str, IssueItem], kind: ItemType, there: set[str], snapshot: PullSnapshot, now: datetime) -> None:
    """What was taken away on the forge has nothing left to fix; not said of a list that was cut."""
    if ("threads" if kind == "thread" else "comments") in snapshot.capped:
        return
    for item in list(known.values()):
        if item.type == kind and item.ref not in there and item.state not in ("fixed", "dismissed"):
            known[item.id] = _moved(item, now, state="fixed", reason="It was taken away.")
