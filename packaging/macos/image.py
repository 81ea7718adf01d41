"""Settings of the disk image, read by dmgbuild."""

application = defines["app"]  # noqa: F821  # dmgbuild gives what -D defines
files = [application]
symlinks = {"Applications": "/Applications"}
icon_locations = {"Banksman.app": (140, 120), "Applications": (500, 120)}
window_rect = ((100, 100), (640, 280))
