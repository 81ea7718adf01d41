"""The filters of the inbox, with their words."""

from desktop.language import tr

ANSWERED = "answered"
FILTERS = {
    "all": tr("All"),
    "approvals": tr("Approvals"),
    "questions": tr("Questions"),
    "plans": tr("Plans"),
    "interrupted": tr("Interrupted"),
    "review": tr("To review"),
    "snoozed": tr("Snoozed"),
    ANSWERED: tr("Answered today"),
}
