// SPDX-License-Identifier: MIT
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/core/level.hpp"

namespace graphpatcher {

namespace detail {

/// What a thread's displays are about; one for the whole program, as the request to stop is (core/interrupt.hpp).
inline std::string& subject_of_thread() noexcept {
  thread_local std::string subject;
  return subject;
}
#if GRAPHPATCHER_COMPILED
std::string& progress_subject() noexcept;
#else
inline std::string& progress_subject() noexcept {
  return subject_of_thread();
}
#endif

}  // namespace detail

/// While one lives, displays that this thread begins say what they are about:
/// "seed 2: training patcher". Inside another it adds to that: "seed 2, test".
class progress_label {
public:
  explicit progress_label(std::string_view subject) : before_(detail::progress_subject()) {
    detail::progress_subject() += (before_.empty() ? "" : ", ") + std::string(subject);
  }
  progress_label(const progress_label&) = delete;
  progress_label& operator=(const progress_label&) = delete;
  ~progress_label() { detail::progress_subject() = std::move(before_); }

private:
  std::string before_;
};

/// How progress is shown.
enum class progress_style {
  automatic,  ///< a bar if standard error is a terminal, else lines
  bar,        ///< one line, redrawn in place
  lines,      ///< now and then a line of its own: for log files
};

struct progress_options {
  bool quiet = false;  ///< show nothing
  progress_style style = progress_style::automatic;
  std::ostream* out = nullptr;                    ///< standard error if null
  std::size_t width = 0;                          ///< columns of a bar's line; 0 = those of the terminal
  std::chrono::milliseconds bar_interval{100};    ///< a bar is redrawn at most this often
  std::chrono::milliseconds line_interval{5000};  ///< and a line written at most this often
};

/// Writes one line where progress is shown: what is to be known before work
/// begins. Like progress it never throws.
inline void show_note(std::string_view line, const progress_options& options = {}) noexcept {
  try {
    if (!options.quiet) {
      (options.out != nullptr ? *options.out : std::cerr) << line << '\n' << std::flush;
    }
  } catch (...) {
    // A note that can't be shown must not stop the work.
  }
}

/// Shows how far a long piece of work is: count, rate, time left, and a short
/// message such as the loss.
///
///   progress bar("training patcher", iterations, {.quiet = quiet});
///   for (...) { ...; bar.advance(1, text("loss ", loss)); }
///
/// A total of 0 means that nobody knows it (early stopping): the display then
/// shows the count and the time spent. Work that goes on with something begins
/// at what is `done`, which is part of the total and not of the rate. The last state is always shown, by
/// finish() or the destructor. Showing progress never throws: work is not lost
/// to a closed terminal. Calls are serialised by a lock.
class progress {
public:
  explicit progress(std::string name, std::size_t total = 0, progress_options options = {}, std::size_t done = 0)
      : name_(std::move(name)),
        total_(total),
        options_(options),
        started_(clock::now()),
        shown_(started_),
        begun_at_(done),
        done_(done) {
    if (const std::string& subject = detail::progress_subject(); !subject.empty()) {
      name_ = subject + ": " + name_;
    }
    bar_ = options_.style == progress_style::bar ||
           (options_.style == progress_style::automatic && options_.out == nullptr && on_terminal());
    if (bar_) {
      guarded([&] { show(false); });
    }
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { finish(); }

  /// `count` more are done. An empty message leaves the last one standing.
  void advance(std::size_t count = 1, std::string_view message = {}) noexcept {
    guarded([&] {
      done_ += count;
      if (!message.empty()) {
        message_ = message;
      }
      if (clock::now() - shown_ >= (bar_ ? options_.bar_interval : options_.line_interval)) {
        show(false);
      }
    });
  }

  /// Shows the last state; what is called afterwards changes nothing.
  void finish(std::string_view message = {}) noexcept {
    guarded([&] {
      if (!message.empty()) {
        message_ = message;
      }
      show(true);
      finished_ = true;
    });
  }

private:
  using clock = std::chrono::steady_clock;

  static bool on_terminal() noexcept {
    const char* const terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
  }

  std::size_t columns() const noexcept {
    winsize size{};
    if (options_.width > 0) {
      return options_.width;
    }
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }

  template <class Action>
  void guarded(Action&& action) noexcept {
    try {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!finished_) {
        action();
      }
    } catch (...) {
      // A display that fails must not stop the work it shows.
    }
  }

  void show(bool last) {
    shown_ = clock::now();
    if (options_.quiet) {
      return;
    }
    std::ostream& out = options_.out != nullptr ? *options_.out : std::cerr;
    if (bar_) {
      out << '\r' << bar_line(last, columns()) << "\x1b[K" << (last ? "\n" : "") << std::flush;
    } else {
      out << printable(name_ + ": " + numbers(last)) << '\n' << std::flush;
    }
  }

  /// 450/1000, 123.4/s, 0:04 left, loss 0.123
  std::string numbers(bool last) const {
    const double seconds = std::chrono::duration<double>(clock::now() - started_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_ - begun_at_) / seconds : 0;
    std::string result = std::to_string(done_);
    if (total_ > 0) {
      result += "/" + std::to_string(total_);
    }
    if (rate >= 1) {
      result += ", " + one_decimal(rate) + "/s";
    } else if (rate > 0) {
      result += ", " + one_decimal(1 / rate) + " s each";
    }
    if (last || total_ == 0) {
      result += ", " + time_text(seconds);
    } else if (rate > 0 && done_ < total_) {
      result += ", " + time_text(static_cast<double>(total_ - done_) / rate) + " left";
    }
    return message_.empty() ? result : result + ", " + message_;
  }

  /// name [#####.....] numbers, cut to one column less than the terminal has:
  /// a full line would wrap, and a wrapped line can't be redrawn.
  std::string bar_line(bool last, std::size_t width) const {
    const std::string tail = numbers(last);
    std::string line = name_ + " ";
    const std::size_t room = width > line.size() + tail.size() + 4 ? width - line.size() - tail.size() - 4 : 0;
    if (total_ > 0 && room >= 5) {
      const std::size_t length = std::min<std::size_t>(room, 30);
      const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
      const auto filled = static_cast<std::size_t>(share * static_cast<double>(length));
      line += "[" + std::string(filled, '#') + std::string(length - filled, '.') + "] ";
    }
    return cut(printable(line + tail), width > 0 ? width - 1 : 0);
  }

  /// No line breaks or escapes: they would tear the display.
  static std::string printable(std::string line) {
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return line;
  }

  /// At most `width` bytes, without a part of a UTF-8 character at the end.
  static std::string cut(std::string line, std::size_t width) {
    if (line.size() > width) {
      while (width > 0 && (static_cast<unsigned char>(line[width]) & 0xC0) == 0x80) {
        --width;
      }
      line.resize(width);
    }
    return line;
  }

  static std::string one_decimal(double value) {
    const auto tenths = static_cast<long long>(std::min(value, 1e12) * 10 + 0.5);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
  }

  /// 0:07, 12:30, 1:02:03
  static std::string time_text(double seconds) {
    const auto whole = static_cast<long long>(std::min(seconds, 1e9) + 0.5);
    const auto two_digits = [](long long value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    const long long hours = whole / 3600;
    const long long minutes = whole / 60 % 60;
    return (hours > 0 ? std::to_string(hours) + ":" + two_digits(minutes) : std::to_string(minutes)) + ":" +
           two_digits(whole % 60);
  }

  std::string name_;
  std::size_t total_;
  progress_options options_;
  clock::time_point started_;
  clock::time_point shown_;
  std::size_t begun_at_;
  std::size_t done_;
  std::string message_;
  bool bar_ = false;
  bool finished_ = false;
  std::mutex mutex_;
};

}  // namespace graphpatcher
