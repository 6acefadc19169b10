# SPDX-License-Identifier: MIT
"""Where C++ headers can be broken, and the text that lets a program choose the fault when it runs.

A fault must not need the bounds of an operand to be found, because no parser of C++ is here. `a < b` becomes
`a < infix{} > b`: two operators of the same precedence in the place of one, and the object between them compares. Only a
condition in brackets, the part of one behind && or ||, and a literal are replaced as a whole."""
import re
from dataclasses import dataclass

from .tokens import tokens_of

NAMESPACE = "gp_mutation"
BOUND = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+="}
FUNCTION = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "different",
            "+": "plus", "-": "minus", "*": "times", "/": "over", "%": "modulo", "+=": "add", "-=": "subtract"}
# The operator of the same precedence that ends `a < infix{} > b`.
SECOND = {"<": ">", "<=": ">", ">": "<", ">=": "<"}
# What the compiler has to know, what is no code of a function, and what only makes a message.
FIXED = {"constexpr", "consteval", "static_assert", "template", "requires", "concept", "using", "typedef", "enum", "case",
         "alignas", "operator", "throw", "virtual", "friend"}
BODY_FOLLOWS = {"const", "noexcept", "override", "final", "else", "do", "try", "mutable", ")"}
TYPES = {"struct", "class", "union", "namespace"}


@dataclass(frozen=True)
class Edit:
    begin: int
    length: int
    text: str


@dataclass
class Place:
    """One fault that a header can have."""

    file: str
    line: int
    column: int
    kind: str
    change: str
    text: str  # of the line
    edits: object  # those that make it a choice, given its number


def fixed_tokens(tokens):
    """For each token whether its statement can't be broken: it is evaluated by the compiler or makes a message."""
    fixed, begin, inherited = [False] * len(tokens), 0, [False]
    for index, token in enumerate(tokens + [None]):
        if token is not None and token.text not in (";", "{", "}"):
            continue
        statement = tokens[begin:index]
        words = {t.text for t in statement}
        here = inherited[-1] or bool(words & FIXED) or any(w.startswith("__") for w in words)
        for i in range(begin, index):
            fixed[i] = here
        if token is None:
            break
        if token.text == "{":
            last = statement[-1].text if statement else ""
            outside = {t.text for t in statement if not t.angles}
            values = "enum" in words or (last and last not in BODY_FOLLOWS and not outside & TYPES and "->" not in words)
            inherited.append(here if values else False)
        elif token.text == "}" and len(inherited) > 1:
            inherited.pop()
        begin = index + 1
    for index, token in enumerate(tokens):
        for i in message_of(tokens, index):
            fixed[i] = True
    return fixed


def message_of(tokens, index):
    """The tokens of a message that a call makes: all arguments of text(), all but the first of expects()."""
    name = tokens[index].text
    if name not in ("expects", "text"):
        return ()
    index += 1
    if index < len(tokens) and tokens[index].text == "<" and tokens[index].partner > 0:
        index = tokens[index].partner + 1
    if index >= len(tokens) or tokens[index].text != "(" or tokens[index].partner < 0:
        return ()
    end, begin = tokens[index].partner, index
    if name == "expects":
        begin = next((i for i in top_level(tokens, index + 1, end) if tokens[i].text == ","), end)
    return range(begin, end)


def top_level(tokens, begin, end):
    """Indices of the tokens in [begin, end) that stand in no further bracket."""
    while begin < end:
        yield begin
        begin = tokens[begin].partner + 1 if tokens[begin].partner > begin else begin + 1


def operand_end(tokens, index, stops):
    """Index of the last token of the operand that begins at index."""
    last = index
    for i in top_level(tokens, index, len(tokens)):
        token = tokens[i]
        if token.text in stops or token.text in (")", "]", "}", ",", ";", "?", ":") or \
                (token.text == ">" and 0 <= token.partner < i):
            return last
        last = max(i, token.partner)
    return last


def infix(operator, number):
    pair = BOUND.get(operator) or ARITHMETIC[operator]
    functions = f"{NAMESPACE}::infix<{NAMESPACE}::{FUNCTION[operator]}, {NAMESPACE}::{FUNCTION[pair]}>{{{number}}}"
    first = {"<=": "<", ">=": ">", "!=": "=="}.get(operator, operator)
    return f"{first} {functions} {SECOND.get(operator, first)}"


def fault_at(tokens, index):
    """(kind, change, edits of a number) of the fault that begins at a token, or None."""
    token, before = tokens[index], tokens[index - 1].text if index else ""
    if token.partner >= 0 and token.text in "<>":
        return None
    if token.spaced and token.text in {**BOUND, **ARITHMETIC} and before not in (",", "(", "="):
        kind = "bound" if token.text in BOUND else "arithmetic"
        return (kind, f"{token.text} → {BOUND.get(token.text) or ARITHMETIC[token.text]}",
                lambda n: [Edit(token.begin, len(token.text), infix(token.text, n))])
    if token.text in ("&&", "||") and token.spaced:
        end = tokens[operand_end(tokens, index + 1, {"||", "&&"} if token.text == "&&" else {"||"})].end
        opening = "({0}::left_out({1}) || (" if token.text == "&&" else "(!{0}::left_out({1}) && ("
        return ("condition", f"no part behind {token.text}",
                lambda n: [Edit(tokens[index + 1].begin, 0, opening.format(NAMESPACE, n)), Edit(end, 0, "))")])
    if token.text == "if" and index + 1 < len(tokens) and tokens[index + 1].text == "(":
        opening = tokens[index + 1]
        inside = {tokens[i].text for i in top_level(tokens, index + 2, opening.partner)}
        if not inside & {";", "="}:
            closing = tokens[opening.partner]
            return ("condition", "if → if not",
                    lambda n: [Edit(opening.end, 0, f"{NAMESPACE}::negated({n}, "), Edit(closing.begin, 1, "))")])
        return None
    if token.text == "-" and index + 1 < len(tokens) and tokens[index + 1].begin == token.end and \
            (before in ("(", ",", "=", "?", ":", "{", "[", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "return")):
        return ("sign", "-x → x", lambda n: [Edit(token.begin, 1, f"-{NAMESPACE}::sign{{{n}}} * ")])
    if re.match(r"\.?\d", token.text):
        return ("constant", f"{token.text} → {token.text} + 1",
                lambda n: [Edit(token.begin, len(token.text), f"{NAMESPACE}::constant({n}, {token.text})")])
    return None


def places_of(file, text):
    """All places of a header, in the order of the source."""
    tokens, found, counts = tokens_of(text), [], {}
    fixed = fixed_tokens(tokens)
    lines = text.split("\n")
    for index, token in enumerate(tokens):
        if fixed[index] or token.angles:
            continue
        fault = fault_at(tokens, index)
        if fault is None:
            continue
        kind, change, edits = fault
        line = text.count("\n", 0, token.begin) + 1
        column = token.begin - text.rfind("\n", 0, token.begin)
        counts[line, change] = nth = counts.get((line, change), 0) + 1
        found.append(Place(file, line, column, kind, change if nth == 1 else f"{change} (number {nth})",
                           lines[line - 1].strip(), edits))
    return found


def rewritten(text, chosen, include):
    """The header with its chosen places, {number: place}, made choices. Lines keep their numbers: the first, which holds
    the licence, makes room for an include."""
    edits = sorted((edit for number, place in chosen.items() for edit in place.edits(number)),
                   key=lambda edit: (edit.begin, edit.length))
    parts, end = [], 0
    for edit in edits:
        parts += [text[end:edit.begin], edit.text]
        end = edit.begin + edit.length
    return include + "".join([*parts, text[end:]])[text.index("\n"):]
