# SPDX-License-Identifier: MIT
"""Instructions taken apart, and their operands as C++ expressions."""
import re
from dataclasses import dataclass

from errors import Unsupported
from parse import SIZES, split_list

TYPES = set(SIZES) | {"pred"}
INTEGERS = {f"{kind}{bits}" for kind in "bus" for bits in (8, 16, 32, 64)}
# Registers hold bits; their C++ type says only how many.
REGISTER_TYPES = {"pred": "bool", **{name: f"u{max(size, 2) * 8}" for name, size in SIZES.items()}}

SPECIAL_REGISTERS = {
    "%laneid": "lane()", "%warpid": "warp()", "%nwarpid": "warps()", "WARP_SZ": "32",
    "%lanemask_eq": "(1u << lane())", "%lanemask_lt": "((1u << lane()) - 1)", "%lanemask_le": "((2u << lane()) - 1)",
    "%lanemask_gt": "~((2u << lane()) - 1)", "%lanemask_ge": "~((1u << lane()) - 1)",
    "%smid": "0", "%nsmid": "1", "%gridid": "0", "%clock": "clock()", "%clock64": "clock()", "%clock_hi": "(clock() >> 32)",
    "%globaltimer": "clock()", "%globaltimer_lo": "clock()", "%globaltimer_hi": "(clock() >> 32)",
    "%dynamic_smem_size": "dynamic_shared_size", "%total_smem_size": "total_shared_size",
    "%is_explicit_cluster": "0", "%cluster_ctarank": "0", "%cluster_nctarank": "1",
    **{f"%cluster_ctaid.{axis}": "0" for axis in "xyz"}, **{f"%cluster_nctaid.{axis}": "1" for axis in "xyz"},
    **{f"%{name}.{axis}": f"{value}.{axis}" for axis in "xyz" for name, value in
       {"tid": "current->index", "ntid": "block_size", "ctaid": "block_index", "nctaid": "grid_size",
        "clusterid": "block_index", "nclusterid": "grid_size"}.items()},
}
INTEGER = re.compile(r"-?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$")


def identifier(name):
    """A C++ name; `%` only marks registers and is dropped."""
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):x}_", name.lstrip("%"))


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def same_size_bits(type_name):
    return f"u{SIZES[type_name] * 8}"


@dataclass
class Instruction:
    text: str
    line: int
    site: tuple
    opcode: str
    modifiers: list
    operands: list

    @classmethod
    def parse(cls, text, line, site):
        parts = text.split(None, 1)
        opcode, *modifiers = parts[0].split(".")
        operands = split_list(re.sub(r"\s+", " ", parts[1])) if len(parts) > 1 else []
        return cls(text, line, site, opcode, modifiers, operands)

    @property
    def types(self):
        return [modifier for modifier in self.modifiers if modifier in TYPES]

    @property
    def type(self):
        if not self.types:
            raise Unsupported("no type")
        return self.types[0]

    def has(self, modifier):
        return modifier in self.modifiers

    def one_of(self, *choices):
        """The one modifier of `choices` that is there, or None."""
        return next((modifier for modifier in self.modifiers if modifier in choices), None)

    def allow(self, *known):
        """A modifier whose meaning isn't handled must not pass in silence."""
        for modifier in self.modifiers:
            if modifier not in TYPES and modifier not in known:
                raise Unsupported(f"modifier .{modifier}")


def literal(text, type_name):
    """A number as a C++ expression of the given PTX type, or None if `text` isn't one."""
    if match := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", text):
        return f"as<{type_name}>(0x{match[1]}u)"
    if match := re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", text):
        return f"as<{type_name}>(u64(0x{match[1]}ull))"
    if INTEGER.match(text):
        value = int(text.rstrip("U"), 0)
        if type_name == "pred":
            return "true" if value else "false"
        if type_name in ("f32", "f64"):
            raise Unsupported(f"integer {text} where a .{type_name} is expected")
        size = SIZES[type_name] * 8
        bits = value & (2 ** size - 1)
        if type_name in INTEGERS:
            return f"{bits}u" if size == 32 and type_name[0] in "bu" else f"{type_name}({bits}u)"
        return f"as<{type_name}>(u{size}({bits}u))"
    return None


def split_address(text):
    """`[base+offset]` -> (base, offset)."""
    match = re.fullmatch(r"\[\s*([^\s\]+]+)\s*(?:\+\s*(-?\w+))?\s*\]", text)
    if not match:
        raise Unsupported(f"address {text}")
    return match[1], int(match[2] or "0", 0)


def vector_parts(text):
    """`{a, b}` -> [a, b]; a scalar is a vector of one."""
    return split_list(text[1:-1]) if text.startswith("{") else [text]
