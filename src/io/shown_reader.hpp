// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "io/byte_reader.hpp"
#include "io/late_progress.hpp"

namespace graphpatcher {

/// A byte_reader or a deflated_reader that shows how far it is, should the file take more than two seconds; and that
/// can be stopped by ctrl-C (core/interrupt.hpp) between one piece and the next.
template <class Reader>
class shown_reader : public typed_reads<shown_reader<Reader>> {
public:
  /// `reader` stands at the beginning and must outlive this.
  shown_reader(Reader& reader, const progress_options& options,
               std::chrono::milliseconds delay = std::chrono::seconds(2))
      : reader_(reader),
        display_("reading " + reader.path() + " (bytes)", static_cast<std::size_t>(reader.remaining()), options,
                 delay) {}

  const std::string& path() const noexcept { return reader_.path(); }
  std::uint64_t position() const noexcept { return reader_.position(); }
  std::uint64_t remaining() const noexcept { return reader_.remaining(); }

  std::span<const std::uint8_t> take(std::uint64_t count, const char* what) {
    if (interrupt_requested()) {
      throw_if_interrupted("reading " + path());
    }
    const auto taken = reader_.take(count, what);
    display_.advance(taken.size());
    return taken;
  }

  [[noreturn]] void fail(std::uint64_t position, const std::string& what) const { reader_.fail(position, what); }

private:
  Reader& reader_;
  late_progress display_;
};

}  // namespace graphpatcher
