#pragma once

#include <gtest/gtest.h>

#include <memory>

namespace tb::blocks::link {

/// SystemC elaborates once a process, so there is one bench; it ends with the tests, before the kernel does.
template <class Bench>
class OneBench : public testing::Environment {
 public:
  static Bench& fresh() {
    static OneBench* const one =
        dynamic_cast<OneBench*>(testing::AddGlobalTestEnvironment(std::make_unique<OneBench>().release()));
    if (!one->bench_) one->bench_ = std::make_unique<Bench>();
    one->bench_->reset();
    return *one->bench_;
  }
  void TearDown() override { bench_.reset(); }

 private:
  std::unique_ptr<Bench> bench_;
};

}  // namespace tb::blocks::link
