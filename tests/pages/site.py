#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sees that each link of the site that "make html" made leads somewhere.

        site.py FOLDER                  build/html

Pages, anchors, pictures and styles of the site must be there.  Other sites are not asked,
since a test must not depend on them.
"""

import html.parser
import pathlib
import sys
import urllib.parse

# If there are fewer links, then this script does not find them.
LEAST = 1000


class Page(html.parser.HTMLParser):
    """Collects the anchors of a page, and its links."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def wrong_of(folder, pages):
    """Yields (page, link) of links that lead nowhere."""
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or \
                    anchor and target in pages and anchor not in pages[target].ids:
                yield path.relative_to(folder), link


def main():
    """Prints the links that lead nowhere, and the number of all links."""
    folder = pathlib.Path(sys.argv[1])
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong = list(wrong_of(folder, pages))
    links = sum(len(page.links) for page in pages.values())
    for path, link in wrong:
        print(f"{path}: {link} leads nowhere")
    print(f"{len(pages)} pages, {links} links")
    return 1 if wrong or links < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
