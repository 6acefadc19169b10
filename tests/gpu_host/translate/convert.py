# SPDX-License-Identifier: MIT
"""Moves, comparisons, selections and conversions."""
from arithmetic import DIRECTED
from errors import Unsupported
from mutation import SHIFTED
from operands import same_size_bits, vector_parts
from parse import SIZES
from registry import translates

COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
               "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
WHOLE = {"rni": "whole::nearest", "rzi": "whole::zero", "rmi": "whole::down", "rpi": "whole::up"}
FLOATS, HALVES = ("f32", "f64"), ("f16", "bf16")


@translates("mov")
def move(function, ins):
    ins.allow()
    target, source = ins.operands
    if ins.type == "pred":
        return function.assign(target, function.value(source, "pred"))
    bits = same_size_bits(ins.type)
    if target.startswith("{"):
        parts = vector_parts(target)
        width = SIZES[ins.type] * 8 // len(parts)
        pieces = [function.assign(part, f"u{width}(whole_value >> {index * width})") for index, part in enumerate(parts)]
        return f"{{ const {bits} whole_value = {function.value(source, bits)}; {' '.join(pieces)} }}"
    if source.startswith("{"):
        parts = vector_parts(source)
        width = SIZES[ins.type] * 8 // len(parts)
        pieces = [f"{bits}({function.value(part, f'u{width}')}) << {index * width}" for index, part in enumerate(parts)]
        return function.assign(target, f"{bits}({' | '.join(pieces)})")
    return function.assign(target, function.value(source, bits), bits)


def comparison(name, a, b, type_name):
    """A C++ condition. Ordered comparisons are false if an operand is NaN, those that end in u are true."""
    is_float = type_name in FLOATS + HALVES
    x, y = (f"comparable({operand})" if type_name in HALVES else operand for operand in (a, b))
    if name in ("num", "nan"):
        return f"{'!' if name == 'num' else ''}unordered({a}, {b})"
    if is_float and name.endswith("u") and name[:-1] in COMPARISONS:
        return f"(unordered({a}, {b}) || {x} {COMPARISONS[name[:-1]]} {y})"
    if name not in COMPARISONS:
        raise Unsupported(f"comparison .{name}")
    ordered = f"!unordered({a}, {b}) && " if is_float and name == "ne" else ""
    return f"({ordered}{x} {COMPARISONS[name]} {y})"


@translates("setp", "set")
def compare(function, ins):
    names = [modifier for modifier in ins.modifiers if modifier.rstrip("u") in COMPARISONS or modifier in ("num", "nan")]
    ins.allow("ftz", "and", "or", "xor", "num", "nan", *COMPARISONS, *(name + "u" for name in COMPARISONS))
    if len(names) != 1:
        raise Unsupported("comparison")
    type_name = ins.types[-1]
    if type_name.endswith("x2"):
        return compare_pairs(function, ins, names[0])
    a, b = (function.value(operand, type_name) for operand in ins.operands[1:3])
    test = comparison(names[0], a, b, type_name)
    if (order := names[0].rstrip("u")) in SHIFTED:
        test = function.shiftable(ins, order, test, comparison(SHIFTED[order], a, b, type_name))
    combine = {"and": "{} && {}", "or": "{} || {}", "xor": "{} != {}", None: "{}"}[ins.one_of("and", "or", "xor")]
    third = function.value(ins.operands[3], "pred") if len(ins.operands) > 3 else "false"
    if ins.opcode == "setp" and len(ins.operands) == 3 and "|" not in ins.operands[0]:
        return function.assign(ins.operands[0], test)
    setup = f"const bool test = {test}, third = {third};"
    if ins.opcode == "set":
        kind = ins.types[0]
        yes = {"f32": "1.0f", "f16": "narrow<f16>(1)", "bf16": "narrow<bf16>(1)"}.get(kind, f"{kind}(-1)")
        chosen = f"({combine.format('test', 'third')}) ? {yes} : {kind}{{}}"
        return f"{{ {setup} {function.assign(ins.operands[0], chosen)} }}"
    targets = ins.operands[0].split("|")
    code = function.assign(targets[0].strip(), combine.format("test", "third"))
    if len(targets) > 1:
        code += " " + function.assign(targets[1].strip(), combine.format("!test", "third"))
    return f"{{ {setup} {code} }}"


def compare_pairs(function, ins, name):
    """Both halves at once: two predicates, or a pair of 1.0 and 0.0 (all ones for integer results)."""
    type_name = ins.types[-1]
    half = type_name[:-2]
    if ins.one_of("and", "or", "xor"):
        raise Unsupported("third operand of a comparison of pairs")
    a, b = (function.value(operand, type_name) for operand in ins.operands[1:3])
    tests = [comparison(name, f"a.{part}", f"b.{part}", half) for part in ("low", "high")]
    setup = f"const {type_name} a = {a}, b = {b}; const bool low = {tests[0]}, high = {tests[1]};"
    if ins.opcode == "setp":
        targets = ins.operands[0].split("|")
        code = " ".join(function.assign(target.strip(), part) for target, part in zip(targets, ("low", "high")))
    else:
        yes = f"narrow<{half}>(1).bits" if ins.types[0] == type_name else "0xffffu"
        code = function.assign(ins.operands[0], f"u32(low ? {yes} : 0) | u32(high ? {yes} : 0) << 16")
    return f"{{ {setup} {code} }}"


@translates("selp")
def select(function, ins):
    ins.allow()
    bits = same_size_bits(ins.type)
    a, b = (function.value(operand, bits) for operand in ins.operands[1:3])
    return function.assign(ins.operands[0], f"{function.value(ins.operands[3], 'pred')} ? {a} : {b}", bits)


@translates("slct")
def select_by_sign(function, ins):
    ins.allow("ftz")
    bits = same_size_bits(ins.types[0])
    a, b = (function.value(operand, bits) for operand in ins.operands[1:3])
    return function.assign(ins.operands[0], f"{function.value(ins.operands[3], ins.types[1])} >= 0 ? {a} : {b}")


@translates("testp")
def test_property(function, ins):
    ins.allow("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    a = function.value(ins.operands[1], ins.type)
    test = {"finite": "__builtin_isfinite({0})", "infinite": "__builtin_isinf_sign({0})", "number": "{0} == {0}",
            "notanumber": "{0} != {0}", "normal": "__builtin_isnormal({0})",
            "subnormal": "__builtin_isfinite({0}) && !__builtin_isnormal({0}) && {0} != 0"}[ins.modifiers[0]]
    return function.assign(ins.operands[0], "bool(" + test.format(a) + ")")


@translates("cvt")
def convert(function, ins):
    ins.allow("rn", "rz", "rm", "rp", "ftz", "sat", *WHOLE)
    to, source = ins.types[0], ins.types[1]
    if to in ("f16x2", "bf16x2"):
        half, zero = to[:-2], "true" if ins.has("rz") else "false"
        high, low = (f"narrow<{half}>({function.value(operand, 'f32')}, {zero}).bits" for operand in ins.operands[1:3])
        return function.assign(ins.operands[0], f"u32({high}) << 16 | {low}")
    value = function.value(ins.operands[1], source)
    if source in HALVES:
        value, source = f"f32(widen({value}))", "f32"
    return function.assign(ins.operands[0], converted(ins, to, source, value), to)


def converted(ins, to, source, value):
    from_float, to_float = source in FLOATS, to in FLOATS + HALVES
    mode, whole = ins.one_of(*DIRECTED), WHOLE.get(ins.one_of(*WHOLE) or "")
    if to in HALVES:
        if mode in ("rm", "rp") or ins.has("sat"):
            raise Unsupported("rounding to half precision")
        if whole:
            value = f"round_to_whole<{source}>({value}, {whole})"
        return f"narrow<{to}>({value}, {'true' if mode == 'rz' else 'false'})"
    if from_float and not to_float:
        return f"to_integer<{to}>({value}, {whole or 'whole::zero'})"
    if to_float:
        if whole:
            value = f"round_to_whole<{source}>({value}, {whole})"
        value = f"rounded_to_{to}({DIRECTED[mode]}, {value})" if mode else f"{to}({value})"
        return f"saturate<{to}>({value})" if ins.has("sat") else value
    if ins.has("sat"):
        return f"clamp_to<{to}>({value})"
    return f"{to}({value})"


@translates("cvta")
def convert_address(function, ins):
    ins.allow("to", "shared", "shared::cta", "global", "local", "const", "param")
    address = function.value(ins.operands[1], "u64")
    if ins.one_of("shared", "shared::cta"):
        if ins.has("to"):
            address = f"generic_to_shared({address}, {function.site(ins)})"
        else:
            address = f"shared_to_generic({address})"
    return function.assign(ins.operands[0], address, "u64")


@translates("isspacep")
def is_space(function, ins):
    ins.allow("shared", "shared::cta", "global", "local", "const", "param")
    name = {"shared::cta": "shared", "const": "constant", "param": "parameter"}.get(ins.modifiers[0], ins.modifiers[0])
    return function.assign(ins.operands[0], f"is_in_space({function.value(ins.operands[1], 'u64')}, space::{name})")
