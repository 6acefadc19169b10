# SPDX-License-Identifier: MIT
"""A whole PTX file -> one C++ file that registers its kernels with the engine."""
import re

from errors import Unsupported
from function import FunctionTranslator
from operands import c_string, identifier, literal
from parse import SIZES, split_list

DYNAMIC_WINDOW = 1  # shared window of the dynamic array; the static variables follow


class ModuleTranslator:
    def __init__(self, module, mutations=None):
        self.module = module
        self.mutations = mutations  # MutationPoints, or None: the kernels stay as they are
        self.sites = []
        self.block_sizes = []  # instructions of every basic block
        self.windows = {}  # shared variable -> (window, Variable)
        self.globals = {}  # name -> Variable
        self.bodies = {function.name for function in module.functions if function.body is not None}
        for variable in module.variables:
            if variable.space == "shared":
                self.add_shared(variable)
            else:
                self.globals[variable.name] = variable

    # ------------------------------------------------------------------------- asked for by the functions

    def add_site(self, site):
        self.sites.append((site or ("", 0, 0))[:2])
        return len(self.sites) - 1

    def add_basic_block(self, instructions):
        self.block_sizes.append(instructions)
        return len(self.block_sizes) - 1

    def add_shared(self, variable):
        window = DYNAMIC_WINDOW if variable.count is None else DYNAMIC_WINDOW + 1 + len(self.windows)
        self.windows[variable.name] = (window, variable)

    def dynamic_alignment(self):
        """All `extern __shared__` arrays begin at the same place."""
        return max(variable.alignment for window, variable in self.windows.values() if window == DYNAMIC_WINDOW)

    def variable_address(self, name):
        if name in self.windows:
            window, variable = self.windows[name]
            start = self.dynamic_alignment() if window == DYNAMIC_WINDOW else variable.alignment
            return f"shared_address({window}, {start})"
        return f"v_{identifier(name)}" if name in self.globals else None

    def has_body(self, name):
        return name in self.bodies

    # ------------------------------------------------------------------------------------------- the parts

    def reachable(self, function):
        """`function` and the device functions that it calls, directly or not."""
        found, waiting = [], [function]
        while waiting:
            here = waiting.pop()
            if here in found:
                continue
            found.append(here)
            words = {word for statement in here.body for word in re.findall(r"[\w$]+", statement.text)}
            waiting += [other for other in self.module.functions if other.name in words and other.body is not None]
        return found

    def shared_of(self, kernel):
        words = {word for function in self.reachable(kernel) for statement in function.body
                 for word in re.findall(r"[\w$]+", statement.text)}
        used = [self.windows[name] for name in self.windows if name in words]
        dynamic = [entry for entry in used if entry[0] == DYNAMIC_WINDOW][:1]
        return [entry for entry in used if entry[0] != DYNAMIC_WINDOW] + dynamic

    def signature(self, function):
        if function.is_kernel:
            return f"void k_{identifier(function.name)}(const std::byte* parameters)"
        results = [f"std::byte* result_{index}" for index in range(len(function.returns))]
        arguments = [f"const std::byte* argument_{index}" for index in range(len(function.parameters))]
        return f"void f_{identifier(function.name)}({', '.join(results + arguments)})"

    def translate_function(self, function):
        translator = FunctionTranslator(function, self)
        if function.is_kernel:
            for variable, (offset, _) in zip(function.parameters, parameter_slots(function)):
                translator.parameters[variable.name] = f"parameters + {offset}"
        else:
            for index, variable in enumerate(function.returns):
                translator.parameters[variable.name] = f"result_{index}"
            for index, variable in enumerate(function.parameters):
                translator.parameters[variable.name] = f"argument_{index}"
        translator.translate()
        lines = ["u32* const block_counts = basic_block_counts();", "bool carry = false, unused_carry = false;"] + translator.declarations + translator.code
        return self.signature(function) + " {\n  " + "\n  ".join(lines) + "\n}\n"

    def kernel_record(self, kernel):
        name = identifier(kernel.name)
        slots = ", ".join(f"{{{offset}, {size}}}" for offset, size in parameter_slots(kernel))
        shared = self.shared_of(kernel)
        variables = ", ".join(
            f"{{{c_string(variable.name)}, {window}, gpu_host::shared_variable::dynamic, {self.dynamic_alignment()}}}"
            if window == DYNAMIC_WINDOW else
            f"{{{c_string(variable.name)}, {window}, {variable.size}, {variable.alignment}}}"
            for window, variable in shared)
        static_bytes = 0
        for _, variable in shared:
            static_bytes = -(-static_bytes // variable.alignment) * variable.alignment + variable.size
        limit = re.search(r"\.maxntid\s+([\d,\s]+)", kernel.attributes)
        threads = 1
        for number in re.findall(r"\d+", limit[1]) if limit else ["1024"]:
            threads *= int(number)
        registers = re.search(r"\.maxnreg\s+(\d+)", kernel.attributes)
        tables = (f"const std::array<gpu_host::parameter_slot, {len(kernel.parameters)}> slots_{name} = {{{{{slots}}}}};\n"
                  f"const std::array<gpu_host::shared_variable, {len(shared)}> shared_{name} = {{{{{variables}}}}};\n")
        record = (f"{{{c_string(kernel.name)}, k_{name}, slots_{name}, {static_bytes}, {threads}, "
                  f"{registers[1] if registers else 0}, shared_{name}, block_sizes}}")
        return tables, record

    def initial_value(self, variable):
        """(bytes, [(offset, C++ address)]): what a variable starts with. Addresses are known only when the program runs."""
        size, data, pointers = SIZES[variable.type], bytearray(), []
        text = (variable.initial or "").strip()
        for item in split_list(text[1:-1] if text.startswith("{") else text):
            match = re.fullmatch(r"(?:generic\(\s*([\w$]+)\s*\)|([A-Za-z_$][\w$]*))\s*(?:\+\s*(\d+))?", item)
            if match:
                target = self.variable_address(match[1] or match[2])
                if target is None or size != 8:
                    raise Unsupported(f"initial value {item} of {variable.name}", variable.line)
                pointers.append((len(data), f"{target} + {match[3] or 0}"))
                data += bytes(8)
            else:
                data += number_bytes(item, variable)
        if text and len(data) < variable.size:
            data += bytes(variable.size - len(data))
        return data, pointers

    def variable_records(self):
        tables, records, relocations = [], [], []
        for name, variable in self.globals.items():
            data, pointers = self.initial_value(variable)
            tables.append(f"u64 v_{identifier(name)};\n")
            start = "nullptr"
            if data:
                start = f"reinterpret_cast<const std::byte*>(i_{identifier(name)})"
                tables.append(f"const unsigned char i_{identifier(name)}[] = {{{', '.join(map(str, data))}}};\n")
            records.append(f"{{{c_string(name)}, {variable.size}, {variable.alignment}, {start}, "
                           f"{'true' if variable.space == 'const' else 'false'}, &v_{identifier(name)}}}")
            relocations += [f"gpu_host::set_device_pointer(v_{identifier(name)} + {offset}, {target});"
                            for offset, target in pointers]
        return "".join(tables), records, relocations

    def translate(self):
        defined = [function for function in self.module.functions if function.body is not None]
        bodies = "\n".join(self.translate_function(function) for function in defined)
        kernels = [self.kernel_record(function) for function in defined if function.is_kernel]
        variable_tables, variables, relocations = self.variable_records()
        declarations = "".join(f"{self.signature(function)};\n" for function in defined if not function.is_kernel)
        sites = ",\n  ".join(f"{{{c_string(file)}, {line}}}" for file, line in self.sites)
        header = "device/mutation.hpp" if self.mutations else "device/device.hpp"
        return "".join([
            f"// Generated from PTX; changes are lost.\n#include <array>\n\n#include \"{header}\"\n\nnamespace {{\n",
            "using namespace gpu_host::device;\n\nu32 first_site;\ninline u32 at(u32 site) { return first_site + site; }\n\n",
            self.mutations.table() if self.mutations else "", variable_tables, "\n", declarations, "\n", bodies, "\n",
            f"const std::array<gpu_host::site, {len(self.sites)}> sites = {{{{{sites}}}}};\n",
            f"const std::array<gpu_host::symbol, {len(variables)}> symbols = {{{{{', '.join(variables)}}}}};\n",
            f"const std::array<std::uint32_t, {len(self.block_sizes)}> block_sizes = "
            f"{{{{{', '.join(map(str, self.block_sizes))}}}}};\n",
            "".join(tables for tables, _ in kernels),
            f"const std::array<gpu_host::kernel, {len(kernels)}> kernels = {{{{{', '.join(entry for _, entry in kernels)}}}}};\n",
            "const bool registered = [] {\n  first_site = gpu_host::add_sites(sites);\n",
            "  gpu_host::add_mutation_points(mutation_points, mutation_states);\n" if self.mutations else "",
            "  gpu_host::add_symbols(symbols);\n", "".join(f"  {line}\n" for line in relocations),
            "  gpu_host::add_kernels(kernels);\n  return true;\n}();\n}  // namespace\n"])


def parameter_slots(kernel):
    slots, offset = [], 0
    for variable in kernel.parameters:
        offset = -(-offset // variable.alignment) * variable.alignment
        slots.append((offset, variable.size))
        offset += variable.size
    return slots


def number_bytes(text, variable):
    """A number of an initial value, little-endian."""
    size = SIZES[variable.type]
    if re.fullmatch(r"0[fFdD][0-9a-fA-F]+", text):
        return int(text[2:], 16).to_bytes(size, "little")
    if literal(text, f"u{size * 8}") is None:
        raise Unsupported(f"initial value {text} of {variable.name}", variable.line)
    return (int(text.rstrip("U"), 0) % 2 ** (8 * size)).to_bytes(size, "little")
