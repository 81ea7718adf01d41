"""Exit statuses of `banksman run`, and how its JSON lines name them."""

DONE, FAILED, START_FAILED, LIMIT, UNANSWERED, INTERRUPTED = 0, 1, 2, 3, 4, 130
WORDS = {
    DONE: "completed",
    FAILED: "failed",
    START_FAILED: "not_started",
    LIMIT: "limit",
    UNANSWERED: "declined",
    INTERRUPTED: "interrupted",
}
