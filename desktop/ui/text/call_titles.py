"""The titles of calls in the language of the window; recorded they stay English, as the tools wrote them."""

import re
from collections.abc import Mapping
from functools import lru_cache

from desktop.language import ENGLISH, tr, worn
from desktop.ui.text.figures import figure_words

TITLES = {
    "Push this lane's branch, replacing there what was rewritten here": tr(
        "Push this lane's branch, replacing there what was rewritten here"
    ),
    "Rebase this lane onto its base with the lanes that stack on it": tr(
        "Rebase this lane onto its base with the lanes that stack on it"
    ),
    "Open a draft pull request from this lane": tr("Open a draft pull request from this lane"),
    "Bring back the newest stash and drop it": tr("Bring back the newest stash and drop it"),
    "Amend the last commit with all changes": tr("Amend the last commit with all changes"),
    "Put all changes of this lane aside: {what}": tr("Put all changes of this lane aside: {what}"),
    "Drop everything that was put aside": tr("Drop everything that was put aside"),
    "Look at the tables of the database": tr("Look at the tables of the database"),
    "Open a pull request from this lane": tr("Open a pull request from this lane"),
    "Put all changes of this lane aside": tr("Put all changes of this lane aside"),
    "Changed without a reported call: {count}": tr("Changed without a reported call: {count}"),
    "Output of the background command": tr("Output of the background command"),
    "Diff of what is staged against {what}": tr("Diff of what is staged against {what}"),
    "Rebase this lane onto its base": tr("Rebase this lane onto its base"),
    "Capture a window of the lane": tr("Capture a window of the lane"),
    "Unpin an entry of the memory": tr("Unpin an entry of the memory"),
    "Amend the last commit with {count}": tr("Amend the last commit with {count}"),
    "Bring back the newest stash": tr("Bring back the newest stash"),
    "Run all failed checks again": tr("Run all failed checks again"),
    "Capture the lane's window {what}": tr("Capture the lane's window {what}"),
    "Diff of what is staged in {what}": tr("Diff of what is staged in {what}"),
    "Pin an entry of the memory": tr("Pin an entry of the memory"),
    "Look at the pull request {what}": tr("Look at the pull request {what}"),
    "Open draft pull request: {what}": tr("Open draft pull request: {what}"),
    "Run SQL on the database: {sql}": tr("Run SQL on the database: {sql}"),
    "Capture the whole screen": tr("Capture the whole screen"),
    "Look at the pull request": tr("Look at the pull request"),
    "Reply in review thread {what}": tr("Reply in review thread {what}"),
    "List what was put aside": tr("List what was put aside"),
    "Push this lane's branch": tr("Push this lane's branch"),
    "Run failed checks again": tr("Run failed checks again"),
    "Rebase this lane onto {what} with the lanes that stack on it": tr(
        "Rebase this lane onto {what} with the lanes that stack on it"
    ),
    "List the resources of {what}": tr("List the resources of {what}"),
    "Look at the tables of {what}": tr("Look at the tables of {what}"),
    "Rebase this lane onto {what}": tr("Rebase this lane onto {what}"),
    "Resolve review thread {what}": tr("Resolve review thread {what}"),
    "Diff of what is staged": tr("Diff of what is staged"),
    "Ask for a secret for {what}": tr("Ask for a secret for {what}"),
    "Drop the newest stash": tr("Drop the newest stash"),
    "Remember a convention": tr("Remember a convention"),
    "Remember a preference": tr("Remember a preference"),
    "Propose a boundary: {what}": tr("Propose a boundary: {what}"),
    "Take away the skill {what}": tr("Take away the skill {what}"),
    "Install the skill {what}": tr("Install the skill {what}"),
    "Take the changes of {what}": tr("Take the changes of {what}"),
    "Remember a procedure": tr("Remember a procedure"),
    "Update the todo list": tr("Update the todo list"),
    "Open pull request: {what}": tr("Open pull request: {what}"),
    "Read a resource of {what}": tr("Read a resource of {what}"),
    "Search the web for {what}": tr("Search the web for {what}"),
    "Remember a decision": tr("Remember a decision"),
    "Propose the skill {what}": tr("Propose the skill {what}"),
    "Commit all changes": tr("Commit all changes"),
    "Read the todo list": tr("Read the todo list"),
    "Remember a pattern": tr("Remember a pattern"),
    "Remember a gotcha": tr("Remember a gotcha"),
    "Report: completed": tr("Report: completed"),
    "Search the memory": tr("Search the memory"),
    "Search tools of {server}: {what}": tr("Search tools of {server}: {what}"),
    "Secret for {what}": tr("Secret for {what}"),
    "Name this chat “{what}”": tr("Name this chat “{what}”"),
    "Present the plan": tr("Present the plan"),
    "Load the skill {what}": tr("Load the skill {what}"),
    "Remember a fact": tr("Remember a fact"),
    "Report: blocked": tr("Report: blocked"),
    "Report: partial": tr("Report: partial"),
    "Look at table {table} of the database": tr("Look at table {table} of the database"),
    "Look at table {table} of {what}": tr("Look at table {table} of {what}"),
    "Search tools: {what}": tr("Search tools: {what}"),
    "Attach proof {what}": tr("Attach proof {what}"),
    "Diff against {what}": tr("Diff against {what}"),
    "Create lane {what}": tr("Create lane {what}"),
    "Git log for {what}": tr("Git log for {what}"),
    "Find files {pattern} in {place}": tr("Find files {pattern} in {place}"),
    "Run SQL on {connection}: {sql}": tr("Run SQL on {connection}: {sql}"),
    "Bring back {what} and drop it": tr("Bring back {what} and drop it"),
    "Git log of {ref} for {what}": tr("Git log of {ref} for {what}"),
    "Bring back {what}": tr("Bring back {what}"),
    "Find files {what}": tr("Find files {what}"),
    "Git log of {ref}": tr("Git log of {ref}"),
    "Output of {what}": tr("Output of {what}"),
    "Result of {what}": tr("Result of {what}"),
    "Git status": tr("Git status"),
    "Search “{pattern}” in {place}": tr("Search “{pattern}” in {place}"),
    "Search “{pattern}” ({place})": tr("Search “{pattern}” ({place})"),
    "Search “{pattern}”": tr("Search “{pattern}”"),
    "Capture {what}": tr("Capture {what}"),
    "Report: {what}": tr("Report: {what}"),
    "Attach {count} to the pull request": tr("Attach {count} to the pull request"),
    "Commit {count}": tr("Commit {count}"),
    "Delete {what}": tr("Delete {what}"),
    "Search {what}": tr("Search {what}"),
    "Git log": tr("Git log"),
    "Fetch {what}": tr("Fetch {what}"),
    "Write {what}": tr("Write {what}"),
    "Load {file} of the skill {skill}": tr("Load {file} of the skill {skill}"),
    "Edit {what} (every occurrence)": tr("Edit {what} (every occurrence)"),
    "Read {what}, from line {n}": tr("Read {what}, from line {n}"),
    "Move {what} to {place}": tr("Move {what} to {place}"),
    "List {what} and below": tr("List {what} and below"),
    "Ask: {what} (and {n} more)": tr("Ask: {what} (and {n} more)"),
    "Ask: {what}": tr("Ask: {what}"),
    "Call {what}": tr("Call {what}"),
    "Drop {what}": tr("Drop {what}"),
    "Edit {what}": tr("Edit {what}"),
    "List {what}": tr("List {what}"),
    "Read {what}": tr("Read {what}"),
    "Stop {what}": tr("Stop {what}"),
}
"""What tools, those of guests too, call what they do. The first that fits counts: what names more stands before."""


def forms_of(titles: Mapping[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """What titles are told by, and how they are told; nothing where the window speaks English, as they do."""
    return [
        (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(english)), re.DOTALL), told)
        for english, told in (titles.items() if worn() != ENGLISH else ())
    ]


_FORMS = forms_of(TITLES)


@lru_cache(maxsize=4096)
def call_title(title: str) -> str:
    """The title of a call, "Read app.py", with its verb in the language; what no tool of ours said stays as it is."""
    for form, told in _FORMS:
        if found := form.fullmatch(title):
            named = {name: figure_words(one) if name == "count" else one for name, one in found.groupdict().items()}
            return told.format(**named) if named else told
    return title
