# SPDX-License-Identifier: MIT
"""C++ as clang-format leaves it, in tokens: binary operators have spaces around them, brackets of templates none inside."""
import re
from dataclasses import dataclass

# What is no code, blanked so that offsets and lines stay.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.'])*|->|\+\+|--|<=>|<<=|>>=|<<|[-+*/%&|^<>=!]=|&&|\|\||::|\.\.\."
                   r"|[^\s\w]")
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass
class Token:
    text: str
    begin: int
    spaced: bool  # on both sides: a binary operator
    partner: int = -1  # the bracket that belongs to this one, <> of templates too
    angles: int = 0  # template argument lists around it

    @property
    def end(self):
        return self.begin + len(self.text)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_directives(text):
    """Blanks directives of the preprocessor, and whatever depends on a macro of the compiler: it is another program for
    another processor."""
    lines, groups, continued = text.split("\n"), [], False
    for number, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if directive and not continued:
            word, rest = directive.groups()
            if word in ("if", "ifdef", "ifndef"):
                groups.append("__" in rest)
            elif word == "elif" and groups:
                groups[-1] = groups[-1] or "__" in rest
            elif word == "endif" and groups:
                groups.pop()
        hidden = bool(directive) or continued or any(groups)
        continued = bool(directive or continued) and line.endswith("\\")
        lines[number] = " " * len(line) if hidden else line
    return "\n".join(lines)


def tokens_of(text):
    """The tokens of a file, with brackets matched."""
    code = without_directives(NO_CODE.sub(lambda match: blank(match.group()), text))
    tokens = []
    for match in TOKEN.finditer(code):
        before, after = code[match.start() - 1:match.start()], code[match.end():match.end() + 1]
        tokens.append(Token(match.group(), match.start(), before.isspace() and (after.isspace() or not after)))
    match_brackets(tokens)
    return tokens


def match_brackets(tokens):
    opened = []
    for index, token in enumerate(tokens):
        if token.text in ("(", "[", "{") or (token.text == "<" and not token.spaced):
            opened.append(index)
        elif token.text in (")", "]", "}") or (token.text == ">" and not token.spaced and opened and
                                               tokens[opened[-1]].text == "<"):
            while opened and CLOSING[tokens[opened[-1]].text] != token.text:
                opened.pop()  # a < that was none of a template
            if opened:
                token.partner = opened.pop()
                tokens[token.partner].partner = index
    depth, ends = 0, []
    for index, token in enumerate(tokens):
        if token.text == "<" and token.partner > index:
            depth += 1
        elif token.text == ">" and 0 <= token.partner < index:
            depth -= 1
        token.angles = depth
    return tokens
