"""The filters of the inbox, with their words."""

ANSWERED = "answered"
FILTERS = {
    "all": "All",
    "approvals": "Approvals",
    "questions": "Questions",
    "plans": "Plans",
    "interrupted": "Interrupted",
    "review": "To review",
    "snoozed": "Snoozed",
    ANSWERED: "Answered today",
}
