# SPDX-License-Identifier: MIT
"""Operations of a whole warp."""
from errors import Unsupported
from registry import translates

SHUFFLES = {"up": "shuffle_up", "down": "shuffle_down", "bfly": "shuffle_butterfly", "idx": "shuffle_index"}


def exchange(function, ins, operation, mask, value, source="0", clamp="0"):
    mask = function.value(mask, "u32")
    return f"warp_exchange(warp_operation::{operation}, {mask}, {value}, {source}, {clamp}, {function.site(ins)})"


def assign_both(function, ins, result):
    """`d|p`: a value and a predicate."""
    targets = [target.strip() for target in ins.operands[0].split("|")]
    code = function.assign(targets[0], "u32(result.value)")
    if len(targets) > 1:
        code += " " + function.assign(targets[1], "result.predicate")
    return f"{{ const warp_result result = {result}; {code} }}"


@translates("shfl")
def shuffle(function, ins):
    ins.allow("sync", *SHUFFLES)
    if not ins.has("sync"):
        raise Unsupported("shuffle without .sync")
    value, source, clamp = (function.value(operand, "u32") for operand in ins.operands[1:4])
    operation = SHUFFLES[ins.one_of(*SHUFFLES)]
    return assign_both(function, ins, exchange(function, ins, operation, ins.operands[4], value, source, clamp))


@translates("vote")
def vote(function, ins):
    ins.allow("sync", "all", "any", "uni", "ballot")
    if not ins.has("sync"):
        raise Unsupported("vote without .sync")
    operation = {"uni": "uniform"}.get(ins.modifiers[1], ins.modifiers[1])
    predicate = function.value(ins.operands[1], "pred")
    result = exchange(function, ins, operation, ins.operands[2], predicate)
    return function.assign(ins.operands[0], f"u32({result}.value)" if operation == "ballot" else f"{result}.predicate")


@translates("match")
def match(function, ins):
    ins.allow("sync", "any", "all")
    operation = "match_any" if ins.has("any") else "match_all"
    value = function.value(ins.operands[1], ins.type)
    return assign_both(function, ins, exchange(function, ins, operation, ins.operands[2], value))


@translates("redux")
def reduce(function, ins):
    ins.allow("sync", "add", "min", "max", "and", "or", "xor")
    operation = f"reduce_{ins.one_of('add', 'min', 'max', 'and', 'or', 'xor')}"
    if ins.type not in ("u32", "s32", "b32"):
        raise Unsupported(f"reduction of .{ins.type}")
    value = f"u64(s64({function.value(ins.operands[1], ins.type)}))"  # signed values keep their order in 64 bits
    result = exchange(function, ins, operation, ins.operands[2], value)
    return function.assign(ins.operands[0], f"u32({result}.value)")


@translates("activemask")
def active_mask(function, ins):
    """The least that the rules promise: the lane that asks."""
    ins.allow()
    return function.assign(ins.operands[0], "1u << lane()")
