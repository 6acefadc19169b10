# SPDX-License-Identifier: MIT
"""The body of a kernel or device function -> C++ statements."""
import re

import arithmetic  # noqa: F401  (these modules register their instructions)
import control  # noqa: F401
import convert  # noqa: F401
import memory  # noqa: F401
import warp  # noqa: F401
from errors import Unsupported
from operands import INTEGERS, REGISTER_TYPES, SPECIAL_REGISTERS, Instruction, identifier, literal
from parse import parse_variable, split_list
from registry import HANDLERS

BLOCK_ENDS = {"bra", "brx", "ret", "exit", "trap"}


class FunctionTranslator:
    """Holds what the instructions of one function refer to: registers, labels, parameters and variables.

    C++ doesn't let a goto pass an initialised variable, so every register is declared at the top, also those of inner
    scopes, whose names get the number of the scope.
    """

    def __init__(self, function, module):
        self.function = function
        self.module = module  # ModuleTranslator: variables, functions, sites and basic blocks of the whole file
        self.scopes = [0]
        self.registers = {}  # (scope, name) -> C++ type
        self.ranges = {}  # (scope, prefix) -> C++ type, of `.reg .b32 %r<9>`
        self.labels = set()  # (scope, name)
        self.branch_targets = {}
        self.parameters = {}  # name -> C++ expression: where it lies
        self.locals = {}  # name -> C++ expression: its address
        self.declarations = []
        self.code = []
        self.block_start = None  # index in self.code of the line that counts the current basic block
        self.block_instructions = 0

    # ------------------------------------------------------------------------------------------------- names

    def find(self, table, name):
        """The innermost scope in which `table` has `name`."""
        return next((scope for scope in reversed(self.scopes) if (scope, name) in table), None)

    def register_type(self, name):
        scope = self.find(self.registers, name)
        return None if scope is None else self.registers[scope, name]

    def register(self, name):
        scope = self.find(self.registers, name)
        if scope is None:
            raise Unsupported(f"register {name}, which isn't declared")
        return f"r_{identifier(name)}" + (f"_{scope}" if scope else "")

    def label(self, name):
        scope = self.find(self.labels, name)
        if scope is None:
            raise Unsupported(f"label {name}, which isn't declared")
        return f"l_{identifier(name)}" + (f"_{scope}" if scope else "")

    def site(self, instruction):
        return f"at({self.module.add_site(instruction.site)})"

    # --------------------------------------------------------------------------------------------- mutations

    def shiftable(self, instruction, comparison, condition, shifted):
        """A condition that becomes `shifted` when its place in the source is the one that is mutated."""
        mutations = self.module.mutations
        if mutations is None:
            return condition
        is_integer = instruction.types[-1] in INTEGERS
        point = mutations.bound(self.function.name, instruction.site, comparison, is_integer)
        return condition if point is None else f"(mutated({point}) ? {shifted} : {condition})"

    def removable(self, instruction, barrier):
        """A barrier that is left out when its place in the source is the one that is mutated."""
        mutations = self.module.mutations
        point = mutations.barrier(self.function.name, instruction.site) if mutations else None
        return barrier if point is None else f"if (!mutated({point})) {{ {barrier} }}"

    # ---------------------------------------------------------------------------------------------- operands

    def value(self, text, type_name):
        """An operand as a C++ expression of type `type_name`."""
        if type_name == "pred" and text.startswith("!"):
            return f"!{self.value(text[1:], 'pred')}"
        if register := self.register_type(text):
            if type_name == "pred" or type_name in (register, register.replace("u", "b")):
                return self.register(text)
            if type_name in INTEGERS:
                return f"{type_name}({self.register(text)})"
            return f"as<{type_name}>({self.register(text)})"
        if text in SPECIAL_REGISTERS:
            return f"as<{type_name}>(u64({SPECIAL_REGISTERS[text]}))"
        number = literal(text, type_name)
        return number if number is not None else f"{type_name}({self.address_of(text)})"

    def address_of(self, text):
        """The address of a variable or parameter, `name` or `name+offset`, as a C++ u64."""
        match = re.fullmatch(r"([\w$%]+)\s*(?:\+\s*(-?\d+))?", text)
        if match:
            name, offset = match[1], match[2]
            address = self.locals.get(name) or self.module.variable_address(name)
            if not address and name in self.parameters:
                address = f"reinterpret_cast<u64>({self.parameters[name]})"
            if address:
                return f"({address} + {offset})" if offset else address
        raise Unsupported(f"operand {text}")

    def assign(self, target, expression, type_name=None):
        """Stores a value of type `type_name`; without one, C++ finds out how."""
        if target == "_":
            return f"(void)({expression});"
        kind = self.register_type(target)
        if kind is None:
            raise Unsupported(f"destination {target}")
        if kind == "bool" or type_name in INTEGERS:
            return f"{self.register(target)} = {expression};"
        return f"set({self.register(target)}, {expression});"

    # -------------------------------------------------------------------------------------------- statements

    def translate(self):
        self.collect_labels()
        next_scope = 1
        for statement in self.function.body:
            try:
                if statement.text == "{":
                    self.scopes.append(next_scope)
                    next_scope += 1
                elif statement.text == "}":
                    self.scopes.pop()
                else:
                    self.statement(statement)
            except Unsupported as error:
                raise Unsupported(f"{error.message} in `{' '.join(statement.text.split())}`", statement.line) from error
        self.end_block()

    def collect_labels(self):
        scopes, next_scope = [0], 1
        for statement in self.function.body:
            if statement.text == "{":
                scopes.append(next_scope)
                next_scope += 1
            elif statement.text == "}":
                scopes.pop()
            elif statement.text.endswith(":"):
                self.labels.add((scopes[-1], statement.text[:-1]))

    def statement(self, statement):
        text = statement.text
        if text.endswith(":"):
            self.end_block()
            self.last_label = text[:-1]
            self.code.append(f"{self.label(text[:-1])}:;")
        elif text.startswith(".branchtargets"):
            self.branch_targets[self.last_label] = split_list(text.split(None, 1)[1])
        elif match := re.match(r"\.reg\s*\.(\w+)\s+(.*)$", text, re.S):
            self.declare_registers(match[1], split_list(match[2]))
        elif text.startswith("."):
            if not re.match(r"\.(pragma|callprototype)\b", text):
                self.declare_variable(parse_variable(text, statement.line), text)
        else:
            self.instruction(statement)

    def declare_registers(self, type_name, names):
        if type_name not in REGISTER_TYPES:
            raise Unsupported(f"register type .{type_name}")
        kind, scope = REGISTER_TYPES[type_name], self.scopes[-1]
        declared = []
        for name in names:
            if match := re.fullmatch(r"([%\w$]+)<(\d+)>", name):
                declared += [f"{match[1]}{number}" for number in range(int(match[2]))]
            else:
                declared.append(name)
        for name in declared:
            self.registers[scope, name] = kind
        used = [self.register(name) for name in declared]
        for start in range(0, len(used), 16):
            self.declarations.append(f"{kind} {', '.join(f'{name} = 0' for name in used[start:start + 16])};")

    def declare_variable(self, variable, text):
        if variable is None:
            raise Unsupported("declaration")
        if variable.space == "param":
            name = f"param_{identifier(variable.name)}_{self.scopes[-1]}"
            self.declarations.append(f"alignas({max(variable.alignment, 8)}) std::byte {name}[{variable.size}];")
            self.parameters[variable.name] = name
        elif variable.space == "local":
            name = f"frame_{identifier(variable.name)}"
            self.declarations.append(f"const local_frame {name}({variable.size}, {variable.alignment});")
            self.locals[variable.name] = f"{name}.address()"
        elif variable.space == "shared":
            self.module.add_shared(variable)
        else:
            raise Unsupported("declaration inside a function")

    def instruction(self, statement):
        match = re.match(r"@(!?)([%\w$]+)\s+(.*)$", statement.text, re.S)
        instruction = Instruction.parse(match[3] if match else statement.text, statement.line, statement.site)
        handler = HANDLERS.get(instruction.opcode)
        if handler is None:
            raise Unsupported(f"instruction {instruction.opcode}")
        if self.block_start is None:
            self.block_start = len(self.code)
            self.code.append("")
        self.block_instructions += 1
        code = handler(self, instruction)
        self.code.append(f"if ({match[1]}{self.register(match[2])}) {{ {code} }}" if match else code)
        if instruction.opcode in BLOCK_ENDS:
            self.end_block()

    def end_block(self):
        if self.block_start is not None:
            number = self.module.add_basic_block(self.block_instructions)
            self.code[self.block_start] = f"++block_counts[{number}];" + (" step();" if self.module.mutations else "")
        self.block_start, self.block_instructions = None, 0
