// SPDX-License-Identifier: MIT
// A stack that a CUDA thread runs on. The scheduler resumes a fibre; the fibre suspends itself.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace gpu_host {

/// Stack and local memory of one thread. Fibres are reused: a new one costs system calls, an old one nothing.
class fibre {
public:
  static constexpr std::size_t stack_bytes = 256 * 1024, local_bytes = 512 * 1024;

  fibre();
  ~fibre();
  fibre(const fibre&) = delete;
  fibre& operator=(const fibre&) = delete;

  /// Runs `body` (a function that never returns) until it suspends; later calls continue where it did.
  void resume(void (*body)());
  /// Called on the fibre: back to whoever resumed it.
  void suspend();
  /// Forgets what it was doing. Nothing on its stack is destroyed.
  void reset();

  std::byte* local_begin() const { return local_; }
  bool on_stack(const void* address, std::size_t bytes) const;

private:
  std::byte *mapping_, *stack_, *local_;
  void* context_ = nullptr;  // where to continue, nullptr: not started
  void* fake_stack_ = nullptr;
};

class fibre_pool {
public:
  fibre* take();
  void give_back(fibre* used) { idle_.push_back(used); }

private:
  std::vector<std::unique_ptr<fibre>> all_;
  std::vector<fibre*> idle_;
};

}  // namespace gpu_host
