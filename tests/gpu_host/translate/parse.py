# SPDX-License-Identifier: MIT
"""PTX text -> variables, functions and their statements. Nothing here knows what an instruction means."""
import re
from dataclasses import dataclass, field

from errors import Unsupported
from source_map import SourceMap

SIZES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
         "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4,
         "b64": 8, "u64": 8, "s64": 8, "f64": 8}


@dataclass
class Variable:
    """A declaration in one of the state spaces; `count` is None for `extern __shared__ name[]`."""
    space: str
    name: str
    type: str
    alignment: int
    count: int
    initial: str
    line: int

    @property
    def size(self):
        return SIZES[self.type] * (self.count or 0)


@dataclass
class Statement:
    """An instruction, declaration or label (`text` without `;`), or one of the braces that open and close a scope."""
    text: str
    line: int
    site: tuple = None  # (file, line, column) in the source


@dataclass
class Function:
    name: str
    is_kernel: bool
    line: int
    returns: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    attributes: str = ""
    body: list = None  # None: declared only


@dataclass
class Module:
    variables: list = field(default_factory=list)
    functions: list = field(default_factory=list)


VARIABLE = re.compile(
    r"(?P<linkage>(?:\.(?:visible|extern|weak|common)\s+)*)\.(?P<space>shared|global|const|local|param)\s+"
    r"(?:\.align\s+(?P<align>\d+)\s+)?(?:\.attribute\s*\([^)]*\)\s*)?\.(?P<type>\w+)\s+"
    r"(?:\.ptr\s*(?:\.(?:global|shared|local|const)\s*)?(?:\.align\s+\d+\s*)?\s)?\s*(?P<name>[\w$%]+)\s*"
    r"(?P<array>\[(?P<count>\d*)\])?\s*(?:=\s*(?P<initial>.*))?$", re.S)
FUNCTION = re.compile(
    r"(?:\.(?:visible|weak|extern)\s+)*\.(?P<kind>entry|func)\s*(?:\((?P<returns>[^)]*)\)\s*)?(?P<name>[\w$]+)\s*"
    r"(?:\((?P<parameters>[^)]*)\))?\s*(?P<attributes>.*)$", re.S)
LINE_DIRECTIVE = re.compile(r"\s*\.(version|target|address_size|file|loc)\b")


def split_list(text):
    """Splits at the commas that aren't inside brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_variable(text, line):
    match = VARIABLE.match(text.strip())
    if not match:
        return None
    if match["type"] not in SIZES:
        raise Unsupported(f"variable of type .{match['type']}: {text.strip()}", line)
    count = 1 if match["array"] is None else int(match["count"]) if match["count"] else None
    alignment = int(match["align"] or SIZES[match["type"]])
    return Variable(match["space"], match["name"], match["type"], alignment, count, match["initial"], line)


def parse_parameters(text, line):
    parameters = [parse_variable(part, line) for part in split_list(text or "")]
    if None in parameters:
        raise Unsupported(f"parameter list: {text.strip()}", line)
    return parameters


def without_comments(text):
    """Comments become blanks; line ends stay, so that line numbers hold."""
    keep_lines = lambda match: "\n" * match.group(0).count("\n")
    return re.sub(r"/\*.*?\*/|//[^\n]*", keep_lines, text, flags=re.S)


def statements(text, source_map):
    """Yields Statements. A brace that begins a scope stands alone; `{a, b}` operands and initial values stay inside."""
    pending, pending_line, depth = "", 0, 0
    skipping = False  # inside .section { ... }: debugging information
    for number, line in enumerate(text.split("\n"), 1):
        if skipping:
            skipping = "}" not in line
            continue
        if not pending.strip():
            if LINE_DIRECTIVE.match(line):
                source_map.read(line.strip())
                continue
            if line.strip().startswith(".section"):
                skipping = True
                continue
        for piece in re.split(r"([;{}]|(?<!:):(?!:))", line):
            if not pending.strip():
                pending_line = number
            if piece == "{" and (not pending.strip() or FUNCTION.match(pending.strip())) and depth == 0:
                if pending.strip():
                    yield Statement(pending.strip(), pending_line)
                pending = ""
                yield Statement("{", number)
            elif piece == "}" and depth == 0:
                if pending.strip():
                    raise Unsupported(f"no ';' after: {pending.strip()}", pending_line)
                yield Statement("}", number)
            elif piece == ";" and depth == 0:
                if pending.strip():
                    yield Statement(pending.strip(), pending_line, source_map.site())
                pending = ""
            elif piece == ":" and depth == 0 and re.fullmatch(r"\s*[\w$%]+\s*", pending):
                yield Statement(pending.strip() + ":", pending_line)
                pending = ""
            else:
                depth += {"{": 1, "}": -1}.get(piece, 0)
                pending += piece
        pending += " "
    if pending.strip():
        raise Unsupported(f"no ';' after: {pending.strip()}", pending_line)


def parse_module(text):
    module, function, depth = Module(), None, 0
    for statement in statements(without_comments(text), SourceMap(text)):
        if depth > 0:
            depth += {"{": 1, "}": -1}.get(statement.text, 0)
            if depth > 0:
                function.body.append(statement)
        elif statement.text == "{":
            depth = 1
            function.body = []
        elif re.search(r"\.(entry|func)\b", statement.text):
            function = parse_function(statement)
            module.functions.append(function)
        elif not re.match(r"\.(pragma|alias)\b", statement.text):
            variable = parse_variable(statement.text, statement.line)
            if variable is None:
                raise Unsupported(f"declaration: {statement.text}", statement.line)
            module.variables.append(variable)
    return module


def parse_function(statement):
    match = FUNCTION.match(statement.text)
    if not match:
        raise Unsupported(f"function header: {statement.text}", statement.line)
    return Function(match["name"], match["kind"] == "entry", statement.line,
                    parse_parameters(match["returns"], statement.line),
                    parse_parameters(match["parameters"], statement.line), match["attributes"])
