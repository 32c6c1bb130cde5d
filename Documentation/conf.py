# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""How Sphinx makes a site of these pages: "make html"."""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

header = (Path(__file__).parent.parent / "common/pool.h").read_text(encoding="utf-8")

project = "libpool"
version = release = re.search(r'POOL_VERSION\s+"(.*)"', header).group(1)
author = "the authors of libpool"
project_copyright = "GPL-2.0-only OR MIT"

html_theme = "furo"
html_title = f"libpool {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
pygments_dark_style = "monokai"     # furo's own underlines names of structs
html_copy_source = False

# Quotes stay as they are written: commands have some, and links to sections need them.
smartquotes = False

# A literal block is a command, a drawing or a log; C is marked as C.
highlight_language = "none"

NAMED = re.compile(r"(?:struct )?(\w+)")
SECTION = re.compile(r',\s+"([^"]+)"')


def link_names(app, tree):
    """Make ``pool_alloc()`` and ``struct pool_attr`` links to their pages."""
    own = app.env.docname
    for literal in list(tree.findall(nodes.literal)):
        text = literal.astext()
        match = NAMED.match(text)
        page = f"functions/{match[1]}" if match else own
        if page == own or page not in app.env.found_docs or \
                not text.startswith(("struct ", f"{match[1]}(")) or \
                isinstance(literal.parent, (nodes.reference, nodes.title, addnodes.pending_xref)):
            continue
        link = addnodes.pending_xref("", refdomain="std", reftype="doc", refexplicit=True,
                                     refwarn=True, reftarget=f"/{page}", refdoc=own)
        literal.replace_self(link)
        link += literal


def link_sections(_app, tree, _page):
    """Make :doc:`page`, "Section" a link to that section."""
    for link in tree.findall(nodes.reference):
        behind = link.next_node(descend=False, siblings=True)
        match = SECTION.match(behind.astext()) if isinstance(behind, nodes.Text) else None
        if match and link.get("internal") and "#" not in link.get("refuri", "#"):
            link["refuri"] += "#" + nodes.make_id(match[1])


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-read", link_names)
    app.connect("doctree-resolved", link_sections)
