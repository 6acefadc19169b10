// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"

namespace graphpatcher {

namespace detail {

/// What the signal handler shares with the program.
struct interrupt_state {
  std::atomic<int> signal{0};        // the one that asked to stop; 0 = none
  std::atomic<bool> noticed{false};  // whether the program has seen it
  std::atomic<int> scopes{0};
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

/// One for the whole program, which header-only files of it (graphpatcher::io) and others share.
inline interrupt_state& interrupts_of_program() noexcept {
  static constinit interrupt_state state;
  return state;
}

/// It: through graphpatcher::compiled where that is, because a level there has its own copy of every static variable.
#if GRAPHPATCHER_COMPILED
interrupt_state& interrupts() noexcept;
#else
inline interrupt_state& interrupts() noexcept {
  return interrupts_of_program();
}
#endif

/// The first signal asks; a second one of a person gets what it would have got anyway. SIGHUP and SIGXCPU come again by
/// themselves: a closed terminal sends the one twice, a limit of processor time the other every second.
inline void on_interrupt(int signal) {
  int none = 0;
  if (!interrupts().signal.compare_exchange_strong(none, signal) && (signal == SIGINT || signal == SIGTERM)) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace detail

/// Whether Ctrl-C (SIGINT), SIGTERM, SIGHUP (a terminal that was closed) or
/// SIGXCPU (a limit of processor time) asked to stop since the outermost
/// interrupt_scope began. Cheap enough for every iteration.
inline bool interrupt_requested() noexcept {
  auto& state = detail::interrupts();
  const bool requested = state.signal.load(std::memory_order_relaxed) != 0;
  if (requested) {
    state.noticed.store(true, std::memory_order_relaxed);
  }
  return requested;
}

/// Throws interrupted_error if a stop was asked for; `what` is the work.
inline void throw_if_interrupted(std::string_view what) {
  expects<interrupted_error>(!interrupt_requested(), what, ": stopped on request before it was finished");
}

/// While one lives, SIGINT, SIGTERM, SIGHUP and SIGXCPU set a flag instead of
/// ending the program, so that long work can stop between two steps and keep what
/// it has:
///
///   interrupt_scope scope;
///   for (...) { throw_if_interrupted("training patcher"); ... }
///
/// A second Ctrl-C or SIGTERM ends the program at once. A signal that was ignored before
/// (as under nohup) stays ignored. Handlers of before are put back at the end;
/// a request that nobody noticed is then handed on to them, so that none gets
/// lost. Scopes may nest; begin and end them on one thread.
class interrupt_scope {
public:
  interrupt_scope() {
    auto& state = detail::interrupts();
    if (state.scopes++ == 0) {
      state.signal = 0;
      state.noticed = false;
    }
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction wanted {};
      wanted.sa_handler = detail::on_interrupt;
      wanted.sa_flags = SA_RESTART;
      ::sigemptyset(&wanted.sa_mask);
      ::sigaction(signals[i], nullptr, &previous_[i]);
      if (previous_[i].sa_handler != SIG_IGN) {
        ::sigaction(signals[i], &wanted, nullptr);
      }
    }
  }
  interrupt_scope(const interrupt_scope&) = delete;
  interrupt_scope& operator=(const interrupt_scope&) = delete;
  ~interrupt_scope() {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], &previous_[i], nullptr);
    }
    auto& state = detail::interrupts();
    if (--state.scopes == 0) {
      const int pending = state.signal.exchange(0);
      if (pending != 0 && !state.noticed) {
        ::raise(pending);
      }
    }
  }

private:
  static constexpr std::array<int, 4> signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  std::array<struct sigaction, signals.size()> previous_{};
};

}  // namespace graphpatcher
