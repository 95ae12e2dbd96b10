#pragma once

#include <optional>
#include <string>

#include "lab/bench/plan.h"
#include "lab/core/quantity.h"
#include "lab/core/value.h"

namespace firstlight {

/// Parameters of drivers, as the bench's parser left them. A missing optional one is nothing.
const Value* find_param(const Value::Map& params, const std::string& name);
std::optional<std::string> text_param(const Value::Map& params, const std::string& name);
std::optional<std::int64_t> integer_param(const Value::Map& params, const std::string& name);
std::optional<Quantity> quantity_param(const Value::Map& params, const std::string& name);
std::vector<std::string> text_list_param(const Value::Map& params, const std::string& name);

/// A parameter that is a name, or a file ending in .yaml: that file is looked for beside the bench file, and then where
/// firstlight was started.
std::optional<std::string> file_param(const DriverPlan& driver, const std::string& name);

/// Members of a free-form map, where a quantity may have been left as text. Each throws FailureError (bench) with the
/// place when the value is of another kind.
Duration duration_in(const Value& value, const std::string& what);
bool boolean_in(const Value& value, const std::string& what);
std::int64_t integer_in(const Value& value, const std::string& what);

/// The failure of a bench file that only the driver could find.
[[noreturn]] void throw_bad_param(const SourceLocation& where, const std::string& what,
                                  const std::string& suggestion = {});

}  // namespace firstlight
