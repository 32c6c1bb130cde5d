# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Text as mdoc: comments in the form of kernel-doc, and the part of RST that pages use."""

import re
import textwrap

SENTENCE = re.compile(r"(?<=[.:?!)])\s+(?=[A-Z_\\(])")
RULE = re.compile(r"^\s*=+( +=+)+$")


def escape(text):
    return text.replace("\\", "\\e")


def lines_of(text):
    """Lines of mdoc for a text with font escapes; each sentence begins a line."""
    out = []
    for sentence in SENTENCE.split(" ".join(text.split())):
        # With a width below 80 bytes, and never a control character at the beginning.
        for line in textwrap.wrap(sentence, 76, break_long_words=False,
                                  break_on_hyphens=False):
            out.append("\\&" + line if line[0] in ".'" else line)
    return out


def marked(text):
    """What comments and RST mark, with font escapes."""
    text = escape(text)
    text = re.sub(r":doc:`([^`<]*)`", r"the page \\fI\1\\fR", text)
    text = re.sub(r"``(.+?)``", r"\\fB\1\\fR", text, flags=re.S)
    text = re.sub(r"`([^`]+)`_", r'"\1"', text)
    text = re.sub(r"(?<![\w.])@(\w+)", r"\\fI\1\\fR", text)
    return re.sub(r"(?<![\w\\])(\w+)\(\)", r"\\fB\1\\fR()", text)


def plain(text):
    """The same for literal lines, where what is marked would move columns."""
    text = re.sub(r":doc:`([^`<]*)`", r"\1", text)
    return escape(text.replace("``", ""))


def literal(rows, of=plain):
    rows = [of(row.expandtabs(8)) for row in textwrap.dedent("\n".join(rows)).split("\n")]
    return [".Bd -literal -offset indent"] + \
        ["\\&" + row if row[:1] in (".", "'") and row else row for row in rows] + [".Ed"]


def table(rows):
    """A simple table of RST, its columns as wide as what is in them."""
    rule = next(row for row in rows if RULE.match(row))
    spans = [m.span() for m in re.finditer("=+", rule)]
    spans = [(a, b[0]) for (a, _), b in zip(spans, spans[1:] + [(None, None)])]
    cells = [None if RULE.match(row) else
             [plain(row[a:b].strip()) for a, b in spans] for row in rows]
    cells = [row and ["" if cell == ".." else cell for cell in row] for row in cells]
    width = [max(len(row[i]) for row in cells if row) for i in range(len(spans))]
    return literal(["  ".join("-" * n for n in width) if row is None else
                    "  ".join(c.ljust(n) for c, n in zip(row, width)).rstrip()
                    for row in cells], of=str)


def blocks(text):
    """Blocks of lines without an empty line between them; an indented one is literal."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        yield block.split("\n")


def for_users(text):
    """Without the sentences that say which test shows it."""
    return " ".join(s for s in re.split(r"(?<=[.:])\s+(?=[A-Z])", text) if "tests/" not in s)


def rst(text):
    """A section of a page."""
    out, after_colons = [], False
    for block in blocks(text):
        if block[0].startswith(".. "):
            continue
        if RULE.match(block[0]):
            # A table may have an empty line in it, but the pages' have none.
            out += table(block)
        elif after_colons or block[0].startswith("\t"):
            out += literal(block)
        elif block[0].startswith("- "):
            out += bullets(block)
        else:
            body = for_users("\n".join(block))
            after_colons = body.endswith("::")
            body = re.sub(r"::$", ":", body)
            if body not in ("", ":"):
                out += [".Pp"] + lines_of(marked(body))
            continue
        after_colons = False
    return out


def bullets(block):
    out = [".Bl -bullet"]
    for item in re.split(r"\n(?=- )", "\n".join(block)):
        out += [".It"] + lines_of(marked(item[2:]))
    return out + [".El"]


def comment(text):
    """The text of a comment: paragraphs, and what a tab indents: words and their meaning."""
    out = []
    for block in blocks(text):
        if len(block) == 1 and not out and not block[0].endswith((".", ":")):
            out += [f".Ss {block[0]}"]
        elif not block[0].startswith("\t"):
            out += [".Pp"] + lines_of(marked("\n".join(block)))
        elif any(row.startswith("\t\t") and not row[2:].startswith("\t") for row in block):
            out += words(block)
        else:
            out += literal(block)
    return out


def words(block):
    """A line with one tab is a term; lines with two say what it means."""
    out, meaning = [".Bl -tag -width Ds"], []
    for row in block + ["\t"]:
        if row.startswith("\t\t"):
            meaning.append(row)
            continue
        if meaning:
            out += lines_of(marked("\n".join(meaning)))
            meaning = []
        if row.strip():
            out.append(f".It \\fB{marked(row.strip())}\\fR")
    return out + [".El"]


def joined(out):
    """Remarks of lint: no empty line, and no paragraph where one begins by itself."""
    lines, begins = [], (".Sh", ".Ss", ".It", ".Pp", ".Bd", ".Bl", ".El", ".Ed")
    in_literal = False
    for line in out:
        last = lines[-1] if lines else ""
        if line == ".Pp" and last.startswith((".Sh", ".Ss", ".Pp", ".It", ".Bl")):
            continue
        if line.startswith(begins) and not line.startswith(".Pp") and last == ".Pp":
            lines.pop()
        if line.startswith(".Bd"):
            in_literal = True
        if line.startswith(".Ed"):
            in_literal = False
        if line or in_literal:
            lines.append(line)
    return "\n".join(lines) + "\n"
