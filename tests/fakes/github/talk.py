"""Comments, reviews and review threads: how they come to be."""

from tests.fakes.github.diffs import line_now
from tests.fakes.github.mergeability import base_now
from tests.fakes.github.model import Account, Comment, Pull, Repo, Review, ReviewComment, Thread, World

Place = tuple[str, int, str, int | None]  # path, line, side, first line


def add_comment(world: World, pull: Pull, author: Account, body: str) -> Comment:
    """A comment in the conversation."""
    now = world.now()
    comment = Comment(world.new_id(), author, body, now, now)
    pull.comments.append(comment)
    pull.updated_at = now
    return comment


def add_review(world: World, pull: Pull, author: Account, state: str, body: str) -> Review:
    """A review of the head as it is now; its author is no longer asked for one."""
    review = Review(world.new_id(), author, body, state, pull.head_sha, world.now())
    pull.reviews.append(review)
    pull.reviewers = [each for each in pull.reviewers if each is not author]
    pull.updated_at = world.now()
    return review


def add_thread(world: World, repo: Repo, pull: Pull, author: Account, place: Place, body: str,
               review: Review | None = None) -> Thread:  # fmt: skip
    """A thread with its first comment, which belongs to a review (made for it unless given)."""
    path, line, side, start = place
    review = review or add_review(world, pull, author, "COMMENTED", "")
    start_sha = repo.git.merge_base(base_now(repo, pull), pull.head_sha) or pull.base_sha
    thread = Thread(world.new_id(), path, line, side, pull.head_sha, start_sha, [], start)
    _comment(world, thread, author, body, review)
    pull.threads.append(thread)
    return thread


def reply(world: World, pull: Pull, thread: Thread, author: Account, body: str) -> ReviewComment:
    """One more comment in a thread, in a review of its own."""
    return _comment(world, thread, author, body, add_review(world, pull, author, "COMMENTED", ""))


def _comment(world: World, thread: Thread, author: Account, body: str, review: Review) -> ReviewComment:
    now = world.now()
    comment = ReviewComment(world.new_id(), author, body, now, now, review)
    thread.comments.append(comment)
    return comment


def current_line(repo: Repo, pull: Pull, thread: Thread, line: int | None) -> int | None:
    """Where a line of the thread is today; None when it was changed since, or `line` is None."""
    if not line:
        return None
    then, now = (thread.sha, pull.head_sha) if thread.side == "RIGHT" else (thread.base_sha, thread.base_sha)
    return line_now(repo.git, thread.path, line, then, now) if then != now else line


def is_outdated(repo: Repo, pull: Pull, thread: Thread) -> bool:
    """As a test said, else: its line was changed since."""
    if thread.outdated is not None:
        return thread.outdated
    return bool(thread.line) and current_line(repo, pull, thread, thread.line) is None


def find_thread(world: World, node_id: str) -> tuple[Repo, Pull, Thread] | None:
    """The thread of that node id with what it belongs to."""
    for repo in world.repos.values():
        for pull in repo.pulls.values():
            for thread in pull.threads:
                if thread.node_id == node_id:
                    return repo, pull, thread
    return None


def find_comment(world: World, node_id: str) -> tuple[Repo, Pull, Thread, ReviewComment] | None:
    """The comment of a thread of that node id with what it belongs to."""
    for repo in world.repos.values():
        for pull in repo.pulls.values():
            for thread in pull.threads:
                for comment in thread.comments:
                    if comment.node_id == node_id:
                        return repo, pull, thread, comment
    return None
