#pragma once

#include <cstdint>

namespace tb {

/// The analog side of one lane at the receiver: what is left of the swing, and the noise and jitter on it.
struct Eye {
  double amplitude_mv = 200;  ///< a 1 is +amplitude, a 0 -amplitude at the transmitter
  double loss_db = 3;         ///< of the way here
  double noise_mv = 8;        ///< rms, Gaussian
  double jitter_ui = 0.02;    ///< rms, Gaussian; of a bit
};

/// Where a sampler looks, as the registers eye_ctrl.phase and eye_ctrl.offset have it: two's complement in 6 and 7
/// bits.
struct EyePlace {
  std::uint8_t phase = 0;
  std::uint8_t offset = 0;
  double phase_ui() const { return ((phase & 0x3F) - ((phase & 0x20) != 0 ? 64 : 0)) / 64.0; }
  double offset_mv() const { return ((offset & 0x7F) - ((offset & 0x40) != 0 ? 128 : 0)) * 4.0; }
  bool operator==(const EyePlace& o) const { return phase == o.phase && offset == o.offset; }
};

/// Probability that a sampler at `phase_ui` (-0.5 to 0.5, 0: the middle of the bit) and threshold `offset_mv` takes a
/// random bit for its opposite. The level at the sampler is the amplitude less the loss; where the bit beside is
/// another one (half of all bits) it follows a cosine from one middle to the next, sampled with jitter; noise is added
/// to either.
double error_ratio(const Eye& eye, double phase_ui, double offset_mv);

}  // namespace tb
