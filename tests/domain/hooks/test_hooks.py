"""Hooks as values."""

from desktop.domain.hooks.values import Hook


def test_a_hook_is_shown_by_its_line_or_its_words():
    assert Hook(id="a", on="on_stop", text="make tidy").shown == "make tidy"
    assert Hook(id="a", on="on_stop", command=("sh", "a.sh")).shown == "sh a.sh"
