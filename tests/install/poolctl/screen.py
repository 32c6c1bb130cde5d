#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Makes an SVG of screens that tmux has captured with their colours.

        screen.py TITLE SECONDS SCREEN... >SVG

Each SCREEN is a file of "tmux capture-pane -e -p".  All have the same number of lines, and
each is shown for so many seconds.  A reader that does not move pictures, or whose user
wants none that move, shows the first one.
"""

import re
import sys
from xml.sax.saxutils import escape

CELL = 7.8				# pixels of a character
LINE = 17
EDGE = 10
BACK, FORE = "#16181c", "#d8dade"
COLOURS = ["#16181c", "#e0645c", "#7fbf5f", "#d9b44a", "#6ea8e0", "#c586d0", "#56b6c2",
           "#d8dade"]

SGR = re.compile(r"\x1b\[([0-9;]*)m")
OTHER = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


class Pen:
    """What the text after an escape sequence looks like."""

    def __init__(self):
        self.fore, self.back, self.reverse, self.bold = FORE, BACK, False, False

    def take(self, codes):
        """The numbers of a sequence, as "1;32"."""
        for code in (int(c or 0) for c in codes.split(";")):
            if code == 0:
                self.__init__()
            elif code in (1, 22):
                self.bold = code == 1
            elif code in (7, 27):
                self.reverse = code == 7
            elif 30 <= code <= 37 or code == 39:
                self.fore = FORE if code == 39 else COLOURS[code - 30]
            elif 40 <= code <= 47 or code == 49:
                self.back = BACK if code == 49 else COLOURS[code - 40]
            else:
                sys.exit(f"screen.py: the colour {code} is not known")

    def look(self):
        """(text, behind it, bold)"""
        pair = (self.back, self.fore) if self.reverse else (self.fore, self.back)
        return *pair, self.bold


def read(path):
    """Lines of a screen, each a list of (column, text, look)."""
    lines, pen = [], Pen()
    with open(path, encoding="utf-8") as source:
        for line in source.read().rstrip("\n").split("\n"):
            parts, column = [], 0
            for i, text in enumerate(SGR.split(line)):
                if i % 2:
                    pen.take(text)
                    continue
                if OTHER.search(text):
                    sys.exit(f"screen.py: {path}: an unknown sequence: {text!r}")
                if text:
                    parts.append((column, text, pen.look()))
                column += len(text)
            lines.append(parts)
    return lines


def draw(y, parts):
    """A line at a height.  Each text is as wide as its cells, whatever the font is."""
    for column, text, (fore, back, bold) in parts:
        x, width = EDGE + CELL * column, CELL * len(text)
        if back != BACK:
            yield (f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{LINE}" '
                   f'fill="{back}"/>')
        if text.strip():
            yield (f'<text x="{x:.1f}" y="{y + 13:g}" textLength="{width:.1f}"'
                   + (f' fill="{fore}"' if fore != FORE else "")
                   + (' font-weight="bold"' if bold else "") + f">{escape(text)}</text>")


def svg(title, seconds, screens):
    """Lines that never change are drawn once."""
    lines = len(screens[0])
    columns = max(p[0] + len(p[1]) for s in screens for line in s for p in line)
    width, height = columns * CELL + 2 * EDGE, lines * LINE + 2 * EDGE
    whole = seconds * len(screens)
    still = [all(s[i] == screens[0][i] for s in screens) for i in range(lines)]
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'role="img" aria-labelledby="title" fill="{FORE}" font-size="13" '
           'font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" xml:space="preserve">')
    yield f'<title id="title">{escape(title)}</title>'
    yield "<style>"
    yield "text{white-space:pre}"
    yield (f".f{{animation:f {whole:g}s step-end infinite}}.g{{opacity:0}}"
           f"@keyframes f{{0%{{opacity:1}}{100 / len(screens):.2f}%{{opacity:0}}}}")
    yield "@media (prefers-reduced-motion:reduce){.f{animation:none}}"
    yield "</style>"
    yield f'<rect width="100%" height="100%" rx="6" fill="{BACK}"/>'
    for i in range(lines):
        if still[i]:
            yield from draw(EDGE + i * LINE, screens[0][i])
    for nth, screen in enumerate(screens):
        yield (f'<g class="f{" g" if nth else ""}" '
               f'style="animation-delay:{nth * seconds - whole:g}s">')
        for i in range(lines):
            if not still[i]:
                yield from draw(EDGE + i * LINE, screen[i])
        yield "</g>"
    yield "</svg>"


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: screen.py TITLE SECONDS SCREEN...")
    try:
        seconds = float(sys.argv[2])
        screens = [read(path) for path in sys.argv[3:]]
    except (OSError, ValueError) as error:
        sys.exit(f"screen.py: {error}")
    if len({len(s) for s in screens}) != 1 or not any(screens[0]):
        sys.exit("screen.py: screens of different heights, or empty ones")
    print("\n".join(svg(sys.argv[1], seconds, screens)))


if __name__ == "__main__":
    main()
