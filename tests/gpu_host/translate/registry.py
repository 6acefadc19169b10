# SPDX-License-Identifier: MIT
"""Which function translates which instruction: handler(function_translator, instruction) -> C++ statements."""
HANDLERS = {}


def translates(*opcodes):
    def register(handler):
        for opcode in opcodes:
            HANDLERS[opcode] = handler
        return handler
    return register
