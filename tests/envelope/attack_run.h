#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/envelope/generator.h"

namespace envelope {

/// What one attack came to.
struct Report {
  std::string trouble;                    // why it could not be run, or empty
  std::string first_failure;              // its symptom
  bool safe = false;                      // says the run
  bool all_off = false;                   // says the witness, at the end
  bool refused_before = false;            // `firstlight check` refuses the sequence
  int steps = 0;                          // that ran
  int refused = 0;                        // of them, by the envelope
  std::map<std::string, double> highest;  // V at each rail's pin, at any time, says the witness
  std::map<std::string, double> bound;    // V that the bench allowed
};

/// Runs an attack on the model, in a process of its own: SystemC elaborates once a process.
/// @param guarded false: the product gets a bench without bounds, to prove that the witness sees what happens then
/// @param tell each step as it ends, on the standard output
Report run_attack(const Attack& attack, std::uint64_t seed, bool guarded, bool tell);

}  // namespace envelope
