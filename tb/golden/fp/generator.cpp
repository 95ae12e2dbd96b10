#include "tb/golden/fp/generator.h"

namespace tb::golden::fp {

std::uint32_t Generator::next() {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 17U;
  state_ ^= state_ << 5U;
  return state_;
}

}  // namespace tb::golden::fp
