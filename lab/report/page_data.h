#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lab/report/record.h"

namespace firstlight::report {

using Points = std::vector<std::pair<double, double>>;  // bench seconds, value

/// At most `most` (at least 4) of the points: the first, the last, and of every stretch between its lowest and its
/// highest, so that no excursion is lost. Values that are no numbers count as lowest.
Points thinned(const Points& points, std::size_t most);

/// What the page draws, as JSON. Its size is bounded: long series are thinned, and of long lists of measurements, log
/// lines and bench events the page shows a part and says so (the record has all).
std::string page_data(const RunRecord& run);

}  // namespace firstlight::report
