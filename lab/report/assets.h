#pragma once

#include <string_view>

namespace firstlight::report::assets {

/// The parts of the report page, linked into the binary: the report needs no file beside it.
std::string_view page();
std::string_view style();
std::string_view script();
std::string_view echarts();

}  // namespace firstlight::report::assets
