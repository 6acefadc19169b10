// SPDX-License-Identifier: MIT
#pragma once

namespace graphpatcher::test {

/// How often a test repeats a launch: on the host once for every order in which
/// threads and blocks are made to run, on a GPU once.
int schedules();
/// Chooses the order, from 0 on.
void use_schedule(int number);

/// Runs body() under every schedule.
template <class Body>
void for_each_schedule(Body&& body) {
  for (int number = 0; number < schedules(); ++number) {
    use_schedule(number);
    body();
  }
}

}  // namespace graphpatcher::test
