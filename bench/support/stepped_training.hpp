// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <exception>
#include <semaphore>
#include <thread>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "graphs.hpp"

namespace bench {

/// train_patcher() as users call it, an iteration at a time: it runs on a thread of its own, which waits between two
/// iterations until it is told to go on. To hand over takes some microseconds.
class stepped_training {
public:
  stepped_training(const gp::cpu& exec, const gp::dataset<float, index>& data, const gp::gcn_backbone<float>& model,
                   gp::patcher_config config) {
    config.evaluate_every = config.max_iterations = std::size_t{1} << 40;  // nothing but iterations
    thread_ = std::thread([=, this, &data, &model] {
      try {
        gp::train_patcher(exec, data, model, config,
                          {.begin = [this](auto& now) { wait(now); },
                           .between =
                               [this](auto& now) {
                                 done_.release();
                                 wait(now);
                               }});
      } catch (const ended&) {
      } catch (...) {
        failure_ = std::current_exception();
      }
      done_.release();
    });
  }
  ~stepped_training() {
    ending_ = true;
    go_.release();
    thread_.join();
  }
  stepped_training(const stepped_training&) = delete;
  stepped_training& operator=(const stepped_training&) = delete;

  /// One iteration: forward, backward, AdamW. Returns the loss.
  double step() {
    go_.release();
    done_.acquire();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return losses_->latest();
  }

private:
  struct ended {};

  void wait(gp::patcher_training<float>& now) {
    losses_ = &now.loop.losses;
    go_.acquire();
    if (ending_) {
      throw ended{};
    }
  }

  std::binary_semaphore go_{0};
  std::binary_semaphore done_{0};
  bool ending_ = false;
  std::exception_ptr failure_;
  const gp::loss_record<float>* losses_ = nullptr;
  std::thread thread_;
};

}  // namespace bench
