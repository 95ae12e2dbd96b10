#pragma once

#include "lab/core/vocabulary.h"

namespace firstlight {

/// A vocabulary of the size and shape of the real one, which stands still: what the corpus expects does not change when
/// a verb gains a parameter.
const Vocabulary& corpus_vocabulary();

}  // namespace firstlight
