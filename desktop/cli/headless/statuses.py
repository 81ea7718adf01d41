"""Exit statuses of `banksman run`."""

FAILED, START_FAILED, INTERRUPTED = 1, 2, 130
