// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "io/gzip_stream.hpp"
#include "io/late_progress.hpp"
#include "io/mapped_file.hpp"

namespace graphpatcher {

/// Whole lines of a text. Pieces are cut at the same places whatever the number
/// of threads, so what is made of them in their order is always the same.
struct text_piece {
  std::size_t number = 0;
  std::size_t lane = 0;    ///< pieces of one lane are worked on one after another
  std::string_view lines;  ///< ends with a newline, but for the last line of a file
};

/// What a reader throws about the character at `where` of a piece; text_source
/// makes a format_error of it, with the file, the byte and the line.
struct text_problem {
  const char* where;
  std::string what;
};

/// A text file in pieces of whole lines, memory-mapped and handed out in
/// parallel, or unpacked on the way if its name ends with .gz. It can be gone
/// through as often as wanted: readers first count, then fill arrays of exactly
/// the right size, so that no second copy of the content is ever held.
class text_source {
public:
  explicit text_source(const std::filesystem::path& path, text_options options = {})
      : file_(path, options.hint), options_(std::move(options)), packed_(path.extension() == ".gz") {
    check_executor(options_.exec);
    if (packed_) {
      unpack_head();
    }
    skip_byte_order_mark();
  }

  const std::string& path() const noexcept { return file_.path(); }
  const text_options& options() const noexcept { return options_; }

  /// The beginning of the text, to look for a header: all of a file as it is; of
  /// a packed one so much that a header and the line after it are whole.
  std::string_view head() const noexcept { return whole_head().substr(mark_); }
  /// Where head() begins in the file: behind a byte order mark, if there is one.
  std::size_t head_offset() const noexcept { return mark_; }

  /// The pieces begin after this many characters of head().
  void skip(std::size_t count) noexcept { begin_ = mark_ + std::min(count, head().size()); }

  /// What `work(text_piece)` returns for each piece, in their order. Several
  /// pieces are worked on at once, one of each lane; there are at most as many
  /// lanes as threads. Of several problems, that of the first piece is thrown,
  /// whatever the number of threads.
  template <class Work>
  auto map_pieces(const Work& work, std::size_t lanes = std::numeric_limits<std::size_t>::max()) const {
    return packed_ ? map_packed(work) : map_plain(work, lanes);
  }

  /// Bytes of the file.
  std::size_t size() const noexcept { return file_.size(); }

  /// Whether the text is unpacked on the way, anew each time it is gone through.
  bool packed() const noexcept { return packed_; }

  /// Characters of the text; of a packed one a guess: the whole is packed as its head is.
  double likely_length() const noexcept {
    const auto bytes = static_cast<double>(file_.size());
    return packed_ ? bytes * static_cast<double>(head_.size()) / static_cast<double>(head_bytes_) : bytes;
  }

  /// Throws a format_error about a character of the text.
  [[noreturn]] void fail(std::uint64_t offset, std::size_t line, const std::string& what) const {
    throw format_error(path(), offset, text("line ", line, packed_ ? " of the unpacked text: " : ": ", what));
  }
  /// The same about a place in head().
  [[noreturn]] void fail_at_head(const text_problem& problem) const {
    const auto offset = static_cast<std::size_t>(problem.where - head().data());
    fail(mark_ + offset, 1 + newlines(head().substr(0, offset)), problem.what);
  }

private:
  static constexpr std::size_t piece_size = std::size_t{1} << 18;  // what is made of it stays in a core's cache

  template <class Work>
  using result_of = std::decay_t<decltype(std::declval<const Work&>()(text_piece{}))>;

  static std::size_t newlines(std::string_view part) {
    return static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
  }
  std::string_view whole_head() const noexcept { return packed_ ? std::string_view(head_) : file_.characters(); }

  /// Some programs begin a text in UTF-8 with a mark, which belongs to no line. What they write as UTF-16 has a mark
  /// too.
  void skip_byte_order_mark() {
    const std::string_view all = whole_head();
    if (all.starts_with("\xFF\xFE") || all.starts_with("\xFE\xFF")) {
      fail(0, 1, "expected text in UTF-8, got UTF-16; save it as UTF-8");
    }
    begin_ = mark_ = all.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  }

  void unpack_head() {
    gzip_stream stream(file_.path(), file_.bytes(), options_.gzip);
    std::size_t got = piece_size;
    line_counter lines;
    while (got == piece_size && !lines.has_two(head_) && head_.size() / 2 <= options_.longest_line) {
      const std::size_t before = head_.size();
      head_.resize(before + piece_size);
      got = stream.read({head_.data() + before, piece_size});
      head_.resize(before + got);
    }
    head_bytes_ = std::max<std::size_t>(stream.position(), 1);
  }
  /// Counts lines of a text that grows, and looks at each character once.
  class line_counter {
  public:
    /// Whether two lines that are neither empty nor comments are whole.
    bool has_two(std::string_view text) {
      while (lines_ < 2) {
        const std::size_t end = text.find('\n', std::max(begin_, seen_));
        seen_ = text.size();
        if (end == std::string_view::npos) {
          return false;
        }
        const std::string_view line = text.substr(begin_, end - begin_);
        const std::size_t first = line.find_first_not_of(" \t\r");
        lines_ += first != std::string_view::npos && line[first] != '#' && line[first] != '%';
        begin_ = seen_ = end + 1;
      }
      return true;
    }

  private:
    std::size_t lines_ = 0;
    std::size_t begin_ = 0;  // of the line
    std::size_t seen_ = 0;   // the line has no end before
  };
  progress_options display() const { return {.quiet = options_.quiet}; }

  /// Where each piece begins, and where the last one ends.
  std::vector<std::size_t> cuts() const {
    const std::string_view all = file_.characters();
    std::vector<std::size_t> places{begin_};
    while (places.back() < all.size()) {
      const std::size_t wanted = places.back() + piece_size;
      const std::size_t newline = wanted < all.size() ? all.find('\n', wanted - 1) : std::string_view::npos;
      places.push_back(newline == std::string_view::npos ? all.size() : newline + 1);
    }
    return places;
  }

  template <class Work>
  auto map_plain(const Work& work, std::size_t most_lanes) const {
    const std::string_view all = file_.characters();
    const auto places = cuts();
    std::vector<result_of<Work>> results(places.size() - 1);
    late_progress display_later("reading " + path() + " (MB)", all.size() >> 20, display());
    std::atomic<std::size_t> failed{results.size()};
    std::optional<text_problem> problem;
    std::mutex mutex;
    const auto threads = static_cast<std::size_t>(options_.exec.threads);
    const std::size_t lanes = std::min({threads, most_lanes, results.size()});
    parallel_for(options_.exec, lanes, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t lane = begin; lane < end; ++lane) {
        for (std::size_t n = lane; n < results.size() && n < failed.load(); n += lanes) {
          throw_if_interrupted("reading " + path());
          try {
            results[n] = work(text_piece{n, lane, all.substr(places[n], places[n + 1] - places[n])});
          } catch (const text_problem& found) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (n < failed.load()) {
              failed = n;
              problem = found;
            }
          }
          display_later.advance(n * piece_size >> 20 != (n + 1) * piece_size >> 20 ? 1 : 0);
        }
      }
    });
    if (problem) {
      fail_at_head(*problem);
    }
    return results;
  }

  /// While a block is worked on, another thread unpacks the next.
  template <class Work>
  auto map_packed(const Work& work) const {
    std::vector<result_of<Work>> results;
    gzip_stream stream(path(), file_.bytes(), options_.gzip);
    late_progress display_later("reading " + path() + " (bytes)", file_.size(), display());
    std::uint64_t offset = 0;  // of the block in the unpacked text
    std::size_t lines = 0;     // before the block
    std::size_t skipped = begin_;
    std::size_t shown = 0;
    for (unpacked_lines block = stream.read_lines({}, piece_size), next;; block = std::move(next)) {
      throw_if_interrupted("reading " + path());
      display_later.advance(stream.position() - std::exchange(shown, stream.position()));
      const std::string_view content = block.text;
      if (block.end == 0 && content.size() > options_.longest_line) {
        fail(offset, lines + 1, text("expected a line of at most ", options_.longest_line, " characters"));
      }
      std::optional<text_problem> problem;
      std::exception_ptr damage;  // in the packed bytes that follow: to be told after what is wrong in this block
      const std::size_t number = results.size();
      results.resize(number + (block.end > skipped ? 1 : 0));
      parallel_for(options_.exec, 2, 1, [&](std::size_t begin, std::size_t end) {
        if (begin == 0 && number < results.size()) {
          try {
            results[number] = work(text_piece{number, 0, content.substr(skipped, block.end - skipped)});
          } catch (const text_problem& found) {
            problem = found;
          }
        }
        if (end == 2 && block.more) {
          try {
            // A line that is longer than a block gets a block twice as large, or it would be copied again and again.
            const std::string_view cut = content.substr(block.end);
            next = stream.read_lines(cut, std::max(piece_size, cut.size()));
          } catch (...) {
            damage = std::current_exception();
          }
        }
      });
      if (problem) {
        const auto place = static_cast<std::size_t>(problem->where - content.data());
        fail(offset + place, lines + 1 + newlines(content.substr(0, place)), problem->what);
      }
      if (damage) {
        std::rethrow_exception(damage);
      }
      if (!block.more) {
        return results;
      }
      skipped -= std::min(skipped, block.end);
      lines += newlines(content.substr(0, block.end));
      offset += block.end;
    }
  }

  mapped_file file_;
  text_options options_;
  bool packed_;
  std::string head_;            // of a packed file
  std::size_t head_bytes_ = 1;  // that hold it
  std::size_t mark_ = 0;        // characters of a byte order mark
  std::size_t begin_ = 0;       // of the pieces
};

}  // namespace graphpatcher
