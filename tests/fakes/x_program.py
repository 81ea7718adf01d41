"""A program with one window, half of it in another colour: X Y WIDTH HEIGHT [title=…] [colour=RRGGBB] [flags=…].

Flags: `menu` passes the window manager by; `composed` keeps what windows show apart from the screen, as a compositor
does; `pid` claims to be another process; `plain` has one colour. It prints the window's number once all is drawn;
when its standard input ends, the window is gone before it is.
"""

import os
import sys

import xcffib
import xcffib.composite
import xcffib.xproto as proto

RED = 0xC81E1E


def main() -> None:
    """Draw, tell, wait."""
    x, y, width, height = (int(one) for one in sys.argv[1:5])
    told = dict(one.split("=", 1) for one in sys.argv[5:])
    flags = told.get("flags", "").split(",")
    connection = xcffib.connect()
    screen = connection.get_setup().roots[0]
    core, window = connection.core, connection.generate_id()
    if "composed" in flags:
        composite = connection(xcffib.composite.key)
        composite.QueryVersion(0, 4).reply()
        composite.RedirectSubwindowsChecked(screen.root, xcffib.composite.Redirect.Automatic).check()
    colour = int(told.get("colour", "2060a0"), 16)
    values = [colour, 1] if "menu" in flags else [colour]
    mask = proto.CW.BackPixel | (proto.CW.OverrideRedirect if "menu" in flags else 0)
    core.CreateWindow(
        screen.root_depth, window, screen.root, x, y, width, height, 0, proto.WindowClass.InputOutput,
        screen.root_visual, mask, values,
    )  # fmt: skip
    title = told.get("title", "").encode()
    utf8 = core.InternAtom(False, 11, "UTF8_STRING").reply().atom
    name = core.InternAtom(False, 12, "_NET_WM_NAME").reply().atom
    core.ChangeProperty(proto.PropMode.Replace, window, name, utf8, 8, len(title), title)
    if "pid" in flags:
        claimed = core.InternAtom(False, 11, "_NET_WM_PID").reply().atom
        core.ChangeProperty(proto.PropMode.Replace, window, claimed, proto.Atom.CARDINAL, 32, 1, [os.getppid()])
    core.MapWindow(window)
    if "plain" not in flags:
        pen = connection.generate_id()
        core.CreateGC(pen, window, proto.GC.Foreground, [RED])
        core.PolyFillRectangle(window, pen, 1, [proto.RECTANGLE.synthetic(0, 0, width // 2, height)])
    core.GetInputFocus().reply()  # everything before it is done
    print(window, flush=True)
    sys.stdin.read()
    core.DestroyWindow(window)
    if "composed" in flags:
        composite.UnredirectSubwindows(screen.root, xcffib.composite.Redirect.Automatic)
    core.GetInputFocus().reply()  # the server does not wait for us to be gone


main()
