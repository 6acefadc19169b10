# SPDX-License-Identifier: MIT
"""Arithmetic, bits and comparisons."""
from errors import Unsupported
from operands import INTEGERS, same_size_bits
from parse import SIZES
from registry import translates

DIRECTED = {"rz": "rounding::towards_zero", "rm": "rounding::down", "rp": "rounding::up"}
HALVES = ("f16", "bf16", "f16x2", "bf16x2")
# Accepted without effect: flushing of subnormal numbers isn't modelled, approximations are computed in full.
PRECISION = ("ftz", "rn", "approx", "full")


def call(function, ins, name, type_name=None):
    """name<type>(all source operands)"""
    type_name = type_name or ins.type
    arguments = ", ".join(function.value(operand, type_name) for operand in ins.operands[1:])
    return f"{name}<{type_name}>({arguments})"


def finish(function, ins, expression):
    """Stores a floating-point result, with .sat if asked for."""
    if ins.has("sat"):
        if ins.type not in ("f32", "f64"):
            raise Unsupported(f".sat of a .{ins.type}")
        expression = f"saturate<{ins.type}>({expression})"
    return function.assign(ins.operands[0], expression)


def directed(function, ins, operation):
    """add.rz and so on; None if the instruction rounds to nearest."""
    mode = ins.one_of(*DIRECTED)
    if mode is None:
        return None
    if ins.type not in ("f32", "f64"):
        raise Unsupported(f"modifier .{mode} for .{ins.type}")
    arguments = ", ".join(function.value(operand, ins.type) for operand in ins.operands[1:])
    return f"rounded({DIRECTED[mode]}, operation::{operation}, {arguments})"


def whole_number(function, ins, sign):
    """32- and 64-bit integers wrap round as C++'s unsigned ones do; None for everything else."""
    if ins.type not in INTEGERS or SIZES[ins.type] < 4 or ins.has("sat"):
        return None
    a, b = (function.value(operand, same_size_bits(ins.type)) for operand in ins.operands[1:])
    return function.assign(ins.operands[0], f"{a} {sign} {b}", ins.type)


@translates("add", "sub")
def add_sub(function, ins):
    ins.allow(*PRECISION, *DIRECTED, "sat", "cc")
    if ins.has("cc"):
        return carry(function, ins)
    if ins.has("sat") and ins.type == "s32":
        a, b = (function.value(operand, "s32") for operand in ins.operands[1:])
        sign = "+" if ins.opcode == "add" else "-"
        return function.assign(ins.operands[0], f"clamp_to<s32>(s64({a}) {sign} s64({b}))")
    return whole_number(function, ins, "+" if ins.opcode == "add" else "-") or \
        finish(function, ins, directed(function, ins, ins.opcode) or call(function, ins, ins.opcode))


@translates("addc", "subc")
def carry(function, ins):
    ins.allow("cc")
    a, b = (function.value(operand, same_size_bits(ins.type)) for operand in ins.operands[1:])
    incoming = "carry" if ins.opcode in ("addc", "subc") else "false"
    name = "add_carry" if ins.opcode.startswith("add") else "sub_borrow"
    outgoing = "carry" if ins.has("cc") else "unused_carry"
    return function.assign(ins.operands[0], f"{name}<{same_size_bits(ins.type)}>({a}, {b}, {incoming}, {outgoing})")


@translates("mul", "mul24")
def multiply(function, ins):
    ins.allow(*PRECISION, *DIRECTED, "sat", "lo", "hi", "wide")
    if ins.opcode == "mul24":
        if ins.has("hi"):
            raise Unsupported("modifier .hi")
        return function.assign(ins.operands[0], call(function, ins, "mul24"))
    name = "mul_wide" if ins.has("wide") else "mul_hi" if ins.has("hi") else "mul"
    if name == "mul" and (code := whole_number(function, ins, "*")):
        return code
    return finish(function, ins, directed(function, ins, "mul") or call(function, ins, name))


@translates("fma", "mad", "madc", "mad24")
def multiply_add(function, ins):
    ins.allow(*PRECISION, *DIRECTED, "sat", "lo", "hi", "wide", "cc", "relu")
    if ins.has("relu") or (ins.opcode == "mad24" and ins.has("hi")):
        raise Unsupported("modifier")
    type_name = ins.type
    if type_name in ("f32", "f64") + HALVES:
        return finish(function, ins, directed(function, ins, "fma") or call(function, ins, "fma"))
    a, b = (function.value(operand, type_name) for operand in ins.operands[1:3])
    name = "mul24" if ins.opcode == "mad24" else "mul_wide" if ins.has("wide") else "mul_hi" if ins.has("hi") else "mul"
    sum_type = f"{type_name[0]}{SIZES[type_name] * 16}" if ins.has("wide") else type_name
    product, addend = f"{name}<{type_name}>({a}, {b})", function.value(ins.operands[3], sum_type)
    if ins.has("cc") or ins.opcode == "madc":
        bits = same_size_bits(sum_type)
        incoming = "carry" if ins.opcode == "madc" else "false"
        outgoing = "carry" if ins.has("cc") else "unused_carry"
        return function.assign(ins.operands[0], f"add_carry<{bits}>({product}, {addend}, {incoming}, {outgoing})")
    if ins.has("sat"):
        raise Unsupported("modifier .sat")
    return function.assign(ins.operands[0], f"add<{sum_type}>({product}, {addend})", sum_type)


@translates("div", "sqrt", "rcp")
def divide(function, ins):
    ins.allow(*PRECISION, *DIRECTED)
    return function.assign(ins.operands[0], directed(function, ins, ins.opcode) or call(function, ins, ins.opcode))


@translates("rem", "sad", "popc", "clz", "brev", "neg", "abs", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "copysign")
def plain(function, ins):
    ins.allow(*PRECISION)
    return function.assign(ins.operands[0], call(function, ins, ins.opcode))


@translates("min", "max")
def minimum(function, ins):
    ins.allow("ftz", "NaN")
    return function.assign(ins.operands[0], call(function, ins, ins.opcode + ("_nan" if ins.has("NaN") else "")))


@translates("and", "or", "xor")
def logic(function, ins):
    ins.allow()
    sign = {"and": "&", "or": "|", "xor": "^"}[ins.opcode]
    a, b = (function.value(operand, ins.type) for operand in ins.operands[1:])
    return function.assign(ins.operands[0], f"{a} {sign} {b}", ins.type)


@translates("not", "cnot")
def logical_not(function, ins):
    ins.allow()
    a = function.value(ins.operands[1], ins.type)
    if ins.type == "pred" or ins.opcode == "cnot":
        return function.assign(ins.operands[0], f"!{a}", ins.type)
    return function.assign(ins.operands[0], f"~{a}", ins.type)


@translates("shl", "shr")
def shift(function, ins):
    ins.allow()
    a, count = function.value(ins.operands[1], ins.type), function.value(ins.operands[2], "u32")
    return function.assign(ins.operands[0], f"{ins.opcode}<{ins.type}>({a}, {count})", ins.type)


@translates("shf")
def funnel_shift(function, ins):
    ins.allow("l", "r", "wrap", "clamp")
    low, high, count = (function.value(operand, "u32") for operand in ins.operands[1:])
    count = f"min<u32>({count}, 32)" if ins.has("clamp") else f"({count} & 31)"
    return function.assign(ins.operands[0], f"shf_{'l' if ins.has('l') else 'r'}({low}, {high}, {count})")


@translates("bfind")
def find_bit(function, ins):
    ins.allow("shiftamt")
    a = function.value(ins.operands[1], ins.type)
    return function.assign(ins.operands[0], f"bfind<{ins.type}>({a}, {'true' if ins.has('shiftamt') else 'false'})")


@translates("bfe", "bfi")
def bit_field(function, ins):
    ins.allow()
    values = [function.value(operand, ins.type) for operand in ins.operands[1:-2]]
    values += [function.value(operand, "u32") for operand in ins.operands[-2:]]
    return function.assign(ins.operands[0], f"{ins.opcode}<{ins.type}>({', '.join(values)})")


@translates("bmsk", "prmt")
def on_words(function, ins):
    ins.allow("clamp")
    values = ", ".join(function.value(operand, "u32") for operand in ins.operands[1:])
    return function.assign(ins.operands[0], f"{ins.opcode}({values})")


@translates("lop3")
def three_input_logic(function, ins):
    ins.allow()
    values = ", ".join(function.value(operand, "u32") for operand in ins.operands[1:4])
    return function.assign(ins.operands[0], f"lop3<{int(ins.operands[4], 0)}>({values})")


@translates("dp4a")
def dot_product(function, ins):
    ins.allow()
    values = ", ".join(function.value(operand, "u32") for operand in ins.operands[1:])
    return function.assign(ins.operands[0], f"dp4a<{ins.types[0]}, {ins.types[1]}>({values})")
