# SPDX-License-Identifier: MIT
"""Branches, calls, returns and block barriers."""
from errors import Unsupported
from operands import identifier
from registry import translates


@translates("bra")
def branch(function, ins):
    ins.allow("uni")
    return f"goto {function.label(ins.operands[0])};"


@translates("brx")
def branch_by_table(function, ins):
    ins.allow("idx", "uni")
    targets = function.branch_targets.get(ins.operands[1])
    if targets is None:
        raise Unsupported(f"table {ins.operands[1]} of branch targets")
    cases = " ".join(f"case {index}: goto {function.label(target)};" for index, target in enumerate(targets))
    return f"switch ({function.value(ins.operands[0], 'u32')}) {{ {cases} default: trap({function.site(ins)}); }}"


@translates("ret", "exit")
def leave(function, ins):
    ins.allow("uni")
    if ins.opcode == "exit" and not function.function.is_kernel:
        raise Unsupported("exit inside a device function")
    return "return;"


@translates("trap", "brkpt")
def trap(function, ins):
    return f"trap({function.site(ins)});"


@translates("nanosleep")
def sleep(function, ins):
    return "yield();"


@translates("griddepcontrol")
def grid_dependency(function, ins):
    ins.allow("launch_dependents", "wait")
    return ";"  # launches run one after another


@translates("call")
def call(function, ins):
    ins.allow("uni")
    operands = list(ins.operands)
    results = names_in(function, operands.pop(0)) if operands[0].startswith("(") else []
    name = operands.pop(0)
    arguments = names_in(function, operands.pop(0)) if operands else []
    if operands or name.startswith("%"):
        raise Unsupported("call through a pointer")
    if name == "__assertfail":
        message, file, line, where = arguments[:4]
        return (f"assert_failed(get<u64>({message}), get<u64>({file}), get<u32>({line}), get<u64>({where}), "
                f"{function.site(ins)});")
    if name == "vprintf":
        return f"put<s32>({results[0]}, print(get<u64>({arguments[0]}), get<u64>({arguments[1]}), {function.site(ins)}));"
    if not function.module.has_body(name):
        raise Unsupported(f"call of {name}, which isn't in this file")
    code = f"f_{identifier(name)}({', '.join(results + arguments)});"
    return function.removable(ins, code) if "__syncwarp" in name else code  # a function of the toolkit, if not inlined


def names_in(function, text):
    names = [name.strip() for name in text.strip("() ").split(",") if name.strip()]
    for name in names:
        if name not in function.parameters:
            raise Unsupported(f"call parameter {name}")
    return [function.parameters[name] for name in names]


@translates("bar", "barrier")
def barrier(function, ins):
    ins.allow("sync", "arrive", "red", "warp", "cta", "aligned", "popc", "and", "or")
    site = function.site(ins)
    if ins.has("warp"):
        mask = function.value(ins.operands[0], "u32")
        return function.removable(ins, f"warp_exchange(warp_operation::sync, {mask}, 0, 0, 0, {site});")
    operands = list(ins.operands)
    target = operands.pop(0) if ins.has("red") else None
    predicate = function.value(operands.pop(), "pred") if ins.has("red") else "false"
    number = function.value(operands[0], "u32")
    threads = function.value(operands[1], "u32") if len(operands) > 1 else "0"
    if ins.has("arrive"):
        return f"barrier_arrive({number}, {threads}, {site});"
    aligned = "true" if ins.opcode == "bar" or ins.has("aligned") else "false"
    operation = {"popc": "count", "and": "all", "or": "any", None: "none"}[ins.one_of("popc", "and", "or")]
    result = f"barrier({number}, {threads}, {aligned}, barrier_operation::{operation}, {predicate}, {site})"
    return function.removable(ins, function.assign(target, result) if target else f"{result};")
