#pragma once

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace firstlight {

/// Stacks with a guard page, kept for the next fiber: mapping one costs more than a whole step.
class StackPool {
 public:
  explicit StackPool(std::size_t size) : fresh_(size) {}
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool() {
    for (auto& stack : free_) fresh_.deallocate(stack);
  }

  boost::context::stack_context take() {
    if (free_.empty()) {
      auto stack = fresh_.allocate();
      forget_marks(stack);  // of what was mapped there before
      return stack;
    }
    auto stack = free_.back();
    free_.pop_back();
    forget_marks(stack);
    return stack;
  }
  void give_back(boost::context::stack_context& stack) {
    if (free_.size() < kKept) {
      free_.push_back(stack);
    } else {
      fresh_.deallocate(stack);
    }
  }

  /// The pool as Boost.Context wants it.
  class Allocator {
   public:
    using traits_type = boost::context::stack_traits;
    /// @param taken is told which stack it became, for the sanitizer
    Allocator(StackPool& pool, boost::context::stack_context& taken) : pool_(&pool), taken_(&taken) {}
    boost::context::stack_context allocate() { return *taken_ = pool_->take(); }
    void deallocate(boost::context::stack_context& stack) { pool_->give_back(stack); }

   private:
    StackPool* pool_;
    boost::context::stack_context* taken_;
  };

 private:
  /// What a fiber left that ended by unwinding; the sanitizer would hold it against the next one.
  static void forget_marks([[maybe_unused]] const boost::context::stack_context& stack) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(static_cast<char*>(stack.sp) - stack.size, stack.size);
#endif
  }

  static constexpr std::size_t kKept = 64;
  boost::context::protected_fixedsize_stack fresh_;
  std::vector<boost::context::stack_context> free_;
};

}  // namespace firstlight
