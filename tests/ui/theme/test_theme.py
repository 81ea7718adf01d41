"""The theme: contrast of every pair in use, one place for looks, palette and stylesheet from tokens."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QCheckBox, QComboBox, QListWidget, QListWidgetItem, QRadioButton

import desktop.ui
from desktop.config.folders import resource_folder
from desktop.ui.theme.contrast import CONTROL_PAIRS, TEXT_PAIRS
from desktop.ui.theme.icons import control_file, icon, pixmap
from desktop.ui.theme.palette import hint_color, make_palette
from desktop.ui.theme.stylesheet import install_theme, stylesheet
from desktop.ui.theme.theme import Theme, theme
from desktop.ui.theme.theme_files import read_theme, theme_files
from desktop.ui.theme.tokens import DARK, LIGHT, Tokens

UI = Path(desktop.ui.__file__).parent
THEMES = [LIGHT, DARK, *(one.tokens for one in theme_files() if one.tokens is not None)]


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2.2."""

    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    c = QColor(color)
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF())


def contrast(tokens: Tokens, pair: tuple[str, str]) -> float:
    return against(*(tokens.color(name) for name in pair))


def against(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
@pytest.mark.parametrize("pair", TEXT_PAIRS, ids=" on ".join)
def test_text_has_a_contrast_of_4_5(tokens, pair):
    assert contrast(tokens, pair) >= 4.5


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
@pytest.mark.parametrize("pair", CONTROL_PAIRS, ids=" on ".join)
def test_controls_icons_and_focus_have_a_contrast_of_3(tokens, pair):
    assert contrast(tokens, pair) >= 3


@pytest.mark.parametrize("name", ["high-contrast-light", "high-contrast-dark"])
@pytest.mark.parametrize("pair", TEXT_PAIRS, ids=" on ".join)
def test_text_of_high_contrast_has_a_contrast_of_7(name, pair):
    tokens = next(tokens for tokens in THEMES if tokens.name == name)
    assert contrast(tokens, pair) >= 7


def test_shipped_files_are_whole_and_told_as_dark_or_light():
    assert [one.problem for one in theme_files() if one.problem] == []
    dark = {tokens.name for tokens in THEMES if tokens.is_dark}
    assert dark == {"dark", "high-contrast-dark", "midnight", "forest"}
    assert len(THEMES) == 7


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("mine.toml", ("", ""), ""),
        ("mine.toml", ('text = "#FFFFFF"', ""), "the colour text is missing"),
        ("mine.toml", ('text = "#FFFFFF"', 'text = "white"'), "text is no colour"),
        ("mine.toml", ('text = "#FFFFFF"', 'text = "#101010"'), "text on canvas cannot be read"),
        ("mine.toml", ("[colors]", '[colors]\nfoo = "#000000"'), "there is no colour foo"),
        ("mine.toml", ("[colors]", "[colors"), "mine.toml is not used"),
        ("mine.toml", ("[colors]", "[others]"), "the colour canvas is missing"),
        ("dark.toml", ("", ""), "none of system, light, dark"),
        ("My Theme.toml", ("", ""), "small letters"),
        ("mine.toml", ("[colors]", "# " + "x" * 20_000 + "\n[colors]"), "larger than 16 KiB"),
    ],
)
def test_a_file_of_a_person_is_used_or_says_what_is_wrong(tmp_path, name, change, said):
    shipped = (resource_folder() / "themes" / "high-contrast-dark.toml").read_text()
    (tmp_path / name).write_text(shipped.replace(*change) if change[0] else shipped)
    read = read_theme(tmp_path / name)
    assert said in read.problem
    assert (read.tokens is None) == bool(said)
    assert theme_files((tmp_path, tmp_path)) == [read]


def test_a_theme_that_is_gone_looks_light(qapp):
    look = Theme()
    look.choose("gone")
    assert look.tokens is LIGHT
    look.choose("midnight")
    assert look.tokens.name == "midnight"
    assert look.choice == "midnight"


def test_no_look_is_given_outside_the_theme():
    hex_color = re.compile(r"""["']#[0-9A-Fa-f]{3,8}["']""")
    offenders = [
        f"{path.relative_to(UI)}:{number}"
        for path in UI.rglob("*.py")
        if path.relative_to(UI).parts[0] != "theme"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if hex_color.search(line) or "setStyleSheet" in line
    ]
    assert offenders == []


def test_every_role_of_the_palette_comes_from_a_token():
    palette = make_palette(DARK)
    wanted = {
        QPalette.ColorRole.Window: DARK.canvas,
        QPalette.ColorRole.Base: DARK.surface,
        QPalette.ColorRole.Text: DARK.text,
        QPalette.ColorRole.Highlight: DARK.selection,
        QPalette.ColorRole.Accent: DARK.accent,
    }
    assert {role: palette.color(role).name() for role in wanted} == {r: c.lower() for r, c in wanted.items()}
    roles = [r for r in QPalette.ColorRole if r not in (QPalette.ColorRole.NColorRoles, QPalette.ColorRole.NoRole)]
    known = {hint_color(DARK).name()} | {
        QColor(getattr(DARK, name)).name() for name in Tokens.__dataclass_fields__ if name != "name"
    }
    assert {palette.color(group, role).name() for role in roles for group in GROUPS} <= known


GROUPS = (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Disabled)


def test_the_stylesheet_is_whole_and_scales_with_the_zoom(qapp):
    look = Theme()
    small = stylesheet(look)
    look.zoom = 2.0
    assert "$" not in small
    assert f"color: {look.color('text').name()};" in small  # a size of that name would be no colour
    assert len(small.splitlines()) < 160
    assert stylesheet(look) != small


def test_only_another_look_is_told(qapp):
    look, told = Theme(), []
    look.changed.connect(lambda: told.append((look.tokens.name, look.zoom)))
    for choice, zoom in (("light", 100), ("dark", 100), ("dark", 100), ("dark", 150), ("dark", 150), ("light", 100)):
        look.choose(choice, zoom)
    assert told == [("dark", 1.0), ("dark", 1.5), ("light", 1.0)]
    look.choose("system")
    look.follow_system()
    assert len(told) == 3


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
def test_the_arrow_of_a_list_and_the_frames_of_ticks_are_seen_in_both_themes(tokens, qtbot, qapp):
    install_theme(qapp)
    for mark, ink in (("chevron", tokens.muted), ("check", tokens.on_accent)):
        assert f'stroke="{ink}"' in control_file(mark, tokens.name).read_text(encoding="utf-8")
    former = theme().choice
    theme().choose(tokens.name)
    try:
        box, tick, choice, listed = QComboBox(), QCheckBox(), QRadioButton(), QListWidget()
        item = QListWidgetItem("One", listed)
        for widget in (box, tick, choice, listed):
            qtbot.addWidget(widget)
            widget.show()
        box.resize(160, 32)
        arrow = colours(box, QRect(box.width() - 28, 4, 24, 24))
        assert max(against(found, tokens.surface) for found in arrow) >= 3
        for checked in (False, True):
            item.setCheckState(Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)
            tick.setChecked(checked)
            choice.setChecked(checked)
            frame = tokens.accent if checked else tokens.control
            assert any(near(found, frame) for found in colours(listed.viewport(), listed.visualItemRect(item)))
            assert any(near(found, frame) for found in colours(tick, tick.rect()))
            assert any(near(found, frame) for found in colours(choice, choice.rect()))
    finally:
        theme().choose(former)


def colours(widget, rect):
    image = widget.grab(rect).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def near(found, wanted):
    one, other = QColor(found), QColor(wanted)
    return all(abs(a - b) <= 24 for a, b in zip(one.getRgb(), other.getRgb(), strict=True))


def test_only_high_contrast_draws_lines_around_boxes_and_breaks_those_of_what_is_off(qapp):
    look = Theme()
    for choice, lined in (
        ("light", False),
        ("dark", False),
        ("high-contrast-light", True),
        ("high-contrast-dark", True),
    ):
        look.choose(choice)
        sheet, tokens = stylesheet(look), look.tokens
        assert (tokens.is_outlined, tokens.edge) == (lined, "border" if lined else "sunken")
        assert ("border-style: dashed" in sheet) is lined
        assert f"placeholder-text-color: {hint_color(tokens).name()}" in sheet


@pytest.mark.parametrize("choice", ["light", "dark", "high-contrast-light", "high-contrast-dark"])
def test_what_stands_in_an_empty_field_can_be_read_and_is_no_typed_text(qapp, choice):
    look = Theme()
    look.choose(choice)
    hint, tokens = hint_color(look.tokens).name(), look.tokens
    least = 7 if tokens.is_outlined else 4.5
    assert least <= against(hint, tokens.surface) <= against(tokens.text, tokens.surface) / 2


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
def test_an_icon_that_is_off_is_told_from_one_that_is_on(tokens):
    assert against(tokens.color(tokens.off), tokens.muted) >= 1.6


def test_a_disabled_icon_has_the_colour_of_what_is_off(qapp):
    former = theme().choice
    theme().choose("high-contrast-light")
    try:
        shown = icon("minus").pixmap(QSize(16, 16), QIcon.Mode.Disabled).toImage()
        assert shown == pixmap("minus", theme().tokens.off).toImage()
    finally:
        theme().choose(former)
