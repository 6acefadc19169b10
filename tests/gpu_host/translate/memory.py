# SPDX-License-Identifier: MIT
"""Loads, stores, atomic operations and copies. Every access goes through a checking function of the engine."""
from errors import Unsupported
from operands import split_address, vector_parts
from parse import SIZES
from registry import translates

SPACES = ("global", "shared", "shared::cta", "local", "const", "param", "param::entry", "param::func")
ORDERS = ("weak", "volatile", "relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "cluster", "gpu", "sys")
CACHE = ("nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt")
VECTORS = ("v2", "v4", "v8")


def check_modifiers(ins, *more):
    hints = [modifier for modifier in ins.modifiers
             if modifier.startswith(("L1::", "L2::")) and modifier != "L2::cache_hint"]
    ins.allow(*SPACES, *ORDERS, *SCOPES, *CACHE, *VECTORS, *hints, *more)


def space_of(ins):
    space = ins.one_of(*SPACES)
    return space.split("::")[0] if space else "generic"


def address(function, operand, space):
    """The address as a C++ u64."""
    base, offset = split_address(operand)
    if function.register_type(base):
        text = f"u64({function.register(base)})"
    else:
        text = function.value(base, "u64")
    return f"{text} + {offset}" if offset > 0 else f"{text} - {-offset}" if offset < 0 else text


def checked(function, ins, operand, size, what):
    """A call that checks an access and gives the host address."""
    space = space_of(ins)
    return f"{space}_memory({address(function, operand, space)}, {size}, {what}, {function.site(ins)})"


def parameter(function, operand):
    """Where a named parameter lies, or None if the address is in a register or isn't a parameter's."""
    base, offset = split_address(operand)
    if base not in function.parameters or function.register_type(base):
        return None
    return f"{function.parameters[base]} + {offset}" if offset else function.parameters[base]


def kind_of_access(ins, basic):
    order = ins.one_of(*ORDERS)
    if order in (None, "weak"):
        return f"access::{basic}"
    flags = [f"access::{basic}", "access::strong"]
    if basic == "read":
        flags.append("access::waits")
    if order in ("acquire", "acq_rel"):
        flags.append("access::acquire")
    if order in ("release", "acq_rel"):
        flags.append("access::release")
    return " | ".join(flags)


@translates("ld", "ldu")
def load(function, ins):
    check_modifiers(ins)
    targets = vector_parts(ins.operands[0])
    size = SIZES[ins.type]
    at = parameter(function, ins.operands[1]) if space_of(ins) == "param" else None
    at = at or checked(function, ins, ins.operands[1], size * len(targets), kind_of_access(ins, "read"))
    if len(targets) == 1:
        return function.assign(targets[0], f"get<{ins.type}>({at})", ins.type)
    loads = [function.assign(target, f"get<{ins.type}>(from + {index * size})", ins.type)
             for index, target in enumerate(targets)]
    return f"{{ const std::byte* from = {at}; {' '.join(loads)} }}"


@translates("st")
def store(function, ins):
    check_modifiers(ins)
    sources = vector_parts(ins.operands[1])
    size = SIZES[ins.type]
    at = parameter(function, ins.operands[0]) if space_of(ins) == "param" else None
    at = at or checked(function, ins, ins.operands[0], size * len(sources), kind_of_access(ins, "write"))
    if len(sources) == 1:
        return f"put<{ins.type}>({at}, {function.value(sources[0], ins.type)});"
    stores = [f"put<{ins.type}>(to + {index * size}, {function.value(source, ins.type)});"
              for index, source in enumerate(sources)]
    return f"{{ std::byte* to = {at}; {' '.join(stores)} }}"


UPDATES = {
    "add": "add<{t}>(old, b)", "min": "min<{t}>(old, b)", "max": "max<{t}>(old, b)",
    "and": "{t}(old & b)", "or": "{t}(old | b)", "xor": "{t}(old ^ b)", "exch": "b", "cas": "old == b ? c : old",
    "inc": "old >= b ? {t}(0) : {t}(old + 1)", "dec": "old == 0 || old > b ? b : {t}(old - 1)",
}


@translates("atom", "red")
def atomic(function, ins):
    check_modifiers(ins, "noftz", *UPDATES)
    if ins.one_of(*VECTORS) or space_of(ins) not in ("generic", "global", "shared"):
        raise Unsupported("kind of atomic operation")
    operation = ins.one_of(*UPDATES)
    if operation is None:
        raise Unsupported("atomic operation")
    operands = ins.operands if ins.opcode == "atom" else ["_"] + ins.operands
    flags = "access::read | access::write | access::strong"
    order = ins.one_of(*ORDERS)
    flags += " | access::acquire" if order in ("acquire", "acq_rel") else ""
    flags += " | access::release" if order in ("release", "acq_rel") else ""
    flags += " | access::waits" if operation in ("cas", "exch") else ""
    at = checked(function, ins, operands[1], SIZES[ins.type], flags)
    setup = f"const {ins.type} b = {function.value(operands[2], ins.type)};"
    if operation == "cas":
        setup += f" const {ins.type} c = {function.value(operands[3], ins.type)};"
    body = UPDATES[operation].format(t=ins.type)
    change = f"update<{ins.type}>({at}, [&]({ins.type} old) -> {ins.type} {{ return {body}; }})"
    return f"{{ {setup} {function.assign(operands[0], change)} }}"


@translates("cp")
def copy_async(function, ins):
    if not ins.has("async") or ins.one_of("bulk", "mbarrier"):
        raise Unsupported("kind of copy")
    hints = [modifier for modifier in ins.modifiers if modifier.startswith("L2::") and modifier != "L2::cache_hint"]
    ins.allow("async", "ca", "cg", "shared", "shared::cta", "global", "commit_group", "wait_group", "wait_all", *hints)
    if ins.has("commit_group"):
        return "copy_async_commit();"
    if ins.has("wait_all"):
        return "copy_async_wait_all();"
    if ins.has("wait_group"):
        return f"copy_async_wait({int(ins.operands[0], 0)});"
    target, source = (address(function, operand, None) for operand in ins.operands[:2])
    size = function.value(ins.operands[2], "u32")
    source_size = function.value(ins.operands[3], "u32") if len(ins.operands) > 3 else size
    return f"copy_async({target}, {source}, {size}, {source_size}, {function.site(ins)});"


@translates("prefetch", "prefetchu")
def no_effect(function, ins):
    return ";"


@translates("membar", "fence")
def fence(function, ins):
    ins.allow("sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "gl", "sys")
    return f"fence({'false' if ins.has('cta') else 'true'});"
