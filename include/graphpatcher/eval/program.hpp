// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

namespace graphpatcher {

/// What stands around the work of a command-line program, so that it ends with
/// an exit code and a sentence whatever happens to it:
///
///   int main(int argc, char** argv) { return run_program("mine", [&] { return mine(argc, argv); }); }
///
/// An exception becomes "mine: what it says" on standard error and exit code 1,
/// memory that runs out too. All work is inside an interrupt_scope (core/interrupt.hpp):
/// Ctrl-C becomes an interrupted_error, which is exit code 130. A limit on the size of
/// files (SIGXFSZ) and a reader that went away (SIGPIPE) make writing fail instead
/// of ending the program; standard output that could not be written, be it full
/// or closed, is exit code 1. A closed standard stream is never mistaken for a
/// file that is opened later. A function of graphpatcher::io.
int run_program(std::string_view name, const std::function<int()>& work);

}  // namespace graphpatcher
