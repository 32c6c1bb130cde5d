# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""How Sphinx makes a site of these pages: "make html"."""

import re
from pathlib import Path

header = (Path(__file__).parent.parent / "common/pool.h").read_text(encoding="utf-8")

project = "libpool"
version = release = re.search(r'POOL_VERSION\s+"(.*)"', header).group(1)
author = "the authors of libpool"
project_copyright = "GPL-2.0-only OR MIT"

html_theme = "alabaster"
html_theme_options = {
    "description": "Pools of fixed-size objects, in programs and in the Linux kernel",
    "fixed_sidebar": True,
    "page_width": "1100px",
}
html_show_sphinx = False
html_copy_source = False

# A literal block is a command, a drawing or a log; C is marked as C.
highlight_language = "none"
