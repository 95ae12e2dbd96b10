#pragma once

#include <cstdint>
#include <vector>

namespace firstlight::steps {

/// A look at the counters of a running measurement of a bit error ratio: after how many bits of a lane, and at which
/// confidence (0 to 1) its bounds are taken.
struct BerLook {
  double bits = 0;
  double confidence = 0;
};

/// Bits that prove the target (a ratio) when there is no error among them: ln(2 / (1 - confidence)) / target.
/// That is 1.23 times the well-known -ln(1 - confidence) / target at 95 %, for the half of what may go wrong that is
/// kept for going on when errors come.
double error_free_bits(double target, double confidence);

/// When to look, in order: at error_free_bits(), at 1/2, 1/4 ... 1/1024 of them to give up early, and at 2, 4 ... 64
/// times as many when errors came; no look below 1024 bits before that and none beyond `most_bits`.
///
/// To take one bound again and again, and stop when one likes it, spoils it: the bound at 95 % is then wrong in far
/// more than 5 % of all runs. So each look has a confidence of its own. What may go wrong, 1 - confidence, is shared
/// out before the measurement begins: half to the look at error_free_bits(), and 1/8, 1/16 ... to those on either side,
/// which is never more than the whole (1/2 + 1/4 + 1/4). By Boole's inequality the upper bounds of all looks hold
/// together with the asked confidence, and so does that of the one look at which a lane stops, whatever made it stop
/// there; the lower bounds likewise. (Bonferroni's method with the error shared out as in Lan and DeMets, Biometrika
/// 70, 1983.) All that it needs is that the bits of a look are fixed by plan or by time, never by the errors.
std::vector<BerLook> ber_looks(double target, double confidence, double most_bits);

enum class BerVerdict : std::uint8_t {
  open,   ///< the target lies between the bounds
  below,  ///< proven: not above the target
  above,  ///< proven: above the target
};

struct BerBounds {
  double lower = 0;
  double upper = 1;
  BerVerdict verdict(double target) const;
};

/// Bounds of the ratio at a look, each of which holds at the look's confidence.
BerBounds ber_bounds(const BerLook& look, std::uint64_t errors, std::uint64_t bits);

}  // namespace firstlight::steps
