#include <cstdlib>
#include <string>

// What a netlist with mutated gates calls at its start. `FIRSTLIGHT_MUTANT` is the number of the one that is on, unset
// or 0 for none.
extern "C" int netlist_mutant();

int netlist_mutant() {
  const char* text = std::getenv("FIRSTLIGHT_MUTANT");
  return text != nullptr ? std::stoi(text) : 0;
}
