#include "lab/report/assets.h"

// Defined by assets.S.
extern "C" {
extern const char firstlight_page_begin[], firstlight_page_end[];
extern const char firstlight_style_begin[], firstlight_style_end[];
extern const char firstlight_script_begin[], firstlight_script_end[];
extern const char firstlight_echarts_begin[], firstlight_echarts_end[];
}

namespace firstlight::report::assets {
namespace {
std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }
}  // namespace

std::string_view page() { return between(firstlight_page_begin, firstlight_page_end); }
std::string_view style() { return between(firstlight_style_begin, firstlight_style_end); }
std::string_view script() { return between(firstlight_script_begin, firstlight_script_end); }
std::string_view echarts() { return between(firstlight_echarts_begin, firstlight_echarts_end); }

}  // namespace firstlight::report::assets
