# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Functions and comments of the public headers."""

import re

KERNEL_DOC = re.compile(r"^/\*\*\n(.*?)^ \*/", re.S | re.M)
PLAIN = re.compile(r"^/\*(?!\*)(.*?)\*/", re.S | re.M)
NAMED = re.compile(r"^(?:struct |enum )?(\w+)(?:\(\))? - (.*)")
PARAM = re.compile(r"^@(\w+): ?(.*)")
SECTION = re.compile(r"^(Context|Return): ?(.*)")
# Said of a function to the compiler, not to people.
NOISE = re.compile(r"\b(?:static|inline|extern|POOL_[A-Z_]+)\b"
                   r"|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")


def without_stars(text):
    rows = [re.sub(r"^ ?\* ?", "", row.rstrip()) for row in text.strip("\n").split("\n")]
    return "\n".join(rows).strip()


CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b(.*)")


def defined(kind, rest, macro):
    """Whether the lines after this #if are read with @macro; None: with and without."""
    if macro not in rest or "||" in rest:
        return None
    return kind != "ifndef" and f"!defined({macro})" not in rest


def without(macro, text):
    """Without the lines that are read only where @macro is defined."""
    rows, inside = [], []
    for row in text.split("\n"):
        match = CONDITION.match(row)
        kind = match.group(1) if match else ""
        if kind.startswith("if"):
            inside.append(defined(kind, match.group(2), macro))
        elif kind == "else":
            inside[-1] = None if inside[-1] is None else not inside[-1]
        elif kind == "elif":
            inside[-1] = None
        elif kind == "endif":
            inside.pop()
        rows.append("" if True in inside else row)
    return "\n".join(rows)


class Doc:
    """A comment: its summary, its parameters or members, its text, two sections."""

    def __init__(self, name, text):
        self.name = name
        self.params, self.sections, body = {}, {}, []
        rows = text.split("\n")
        self.summary = NAMED.match(rows[0]).group(2)
        into = body
        for row in rows[1:]:
            param, section = PARAM.match(row), SECTION.match(row)
            if param:
                into = self.params.setdefault(param.group(1), [param.group(2)])
            elif section:
                into = self.sections.setdefault(section.group(1), [section.group(2)])
            elif not row and into is not body and "Return" not in self.sections:
                into = body
                body.append("")
            else:
                into.append(row)
        # The summary of a plain comment may go on.
        while body and body[0] and not self.params:
            self.summary += " " + body.pop(0)
        self.text = "\n".join(body)


class Function:
    def __init__(self, name, kind, params):
        self.name = name
        self.kind = kind
        self.params = params


class Headers:
    def __init__(self, paths):
        self.texts = {path.name: path.read_text() for path in paths}
        self.docs, self.kernel_docs = {}, []
        for text in self.texts.values():
            for pattern in KERNEL_DOC, PLAIN:
                for match in pattern.finditer(text):
                    self.add(without_stars(match.group(1)), pattern is KERNEL_DOC)
        # Prototypes are shown as C programs see them, though C++ has overloads.
        self.code = "\n".join(self.bare(without("__cplusplus", text))
                              for text in self.texts.values())
        self.user_texts = {name: without("__KERNEL__", text)
                           for name, text in self.texts.items()}
        self.user_code = "\n".join(self.bare(text) for text in self.user_texts.values())

    def add(self, text, is_kernel_doc):
        named = NAMED.match(text)
        if not named:
            return
        name = named.group(1)
        if is_kernel_doc:
            self.kernel_docs.append(name)
        if is_kernel_doc or name not in self.docs:
            self.docs[name] = Doc(name, text)

    @staticmethod
    def bare(text):
        """Without comments and lines of the preprocessor."""
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", ";", text, flags=re.M)

    def comment(self, name, begins):
        """The text of a plain comment of a header, from a paragraph that begins so."""
        for match in PLAIN.finditer(self.texts[name]):
            text = without_stars(match.group(1))
            at = text.find(begins)
            if at == 0 or text[at - 1:at] == "\n":
                return text[at:]
        raise SystemExit(f"{name}: no comment has the paragraph \"{begins}\"")

    def only_kernel(self, name):
        """Programs have no such function, macro, struct or variable."""
        return not re.search(rf"\b{name}\b\s*[({{;]", self.user_code) and \
            not any(re.search(rf"^#define {name}\(", text, re.M)
                    for text in self.user_texts.values())

    def function(self, name):
        """Its prototype; of a macro only the names of its arguments."""
        match = re.search(rf"([^;{{}}]*?)\b{name}\s*\(([^{{}};]*?)\)\s*[;{{]", self.code)
        if match:
            kind = " ".join(NOISE.sub("", match.group(1)).split())
            return Function(name, kind.replace("* ", "*"), split(match.group(2)))
        for text in self.texts.values():
            match = re.search(rf"^#define {name}\(([^)]*)\)", text, re.M)
            if match:
                return Function(name, "", split(match.group(1)))
        raise SystemExit(f"no header has {name}()")


def split(params):
    """The parameters; those of a parameter that is a function stay together."""
    found, depth = [""], 0
    for c in " ".join(params.split()):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and not depth:
            found.append("")
        else:
            found[-1] += c
    return [param.strip() for param in found if param.strip()]
