#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/steps/step.h"

namespace firstlight::steps {

// ---- how a table of parameters is written

ParamSpec name_param(std::string name, NameKind kind, std::string doc);
/// A quantity; a dimension of none takes that of the measurable which the step names.
ParamSpec quantity_param(std::string name, Dimension dimension, std::string doc, std::string fallback = {});
ParamSpec integer_param(std::string name, std::string doc, std::string fallback = {});
ParamSpec text_param(std::string name, std::string doc, std::string fallback = {});
ParamSpec flag_param(std::string name, std::string doc, std::string fallback = "false");
ParamSpec choice_param(std::string name, std::vector<std::string> choices, std::string doc, std::string fallback = {});
/// The same parameter, but the step cannot do without it.
ParamSpec required(ParamSpec spec);
ParamSpec at_least(ParamSpec spec, double min);
/// A whole number and one in bytes, from `min` to `max`.
ParamSpec integer_param(std::string name, std::string doc, std::string fallback, double min, double max);
ParamSpec size_param(std::string name, std::string doc, std::string fallback, double min, double max);
/// The same parameter, a value for a setting of the driver's instrument, which the driver's `max_<setting>` bounds.
ParamSpec setting(std::string name, ParamSpec spec);

// ---- reading them

/// "" when it was not given.
std::string text_of(const StepContext& step, std::string_view param);
Duration duration_of(const StepContext& step, std::string_view param);
std::optional<Quantity> quantity_of(const StepContext& step, std::string_view param);

/// The clock at which steps turn core cycles into rates and times.
inline constexpr double kNominalCoreHz = 1e9;

// ---- waiting

/// What a step that waits keeps of its time, to say itself what it waited for.
inline constexpr Duration kDiagnosis = std::chrono::milliseconds(20);

/// Asks `done` every `period`, at once first, until it says true or `limit` is reached; the step's own deadline bounds
/// it too. False when time ran out.
bool poll(StepContext& step, Duration period, Instant limit, const std::function<bool()>& done);

/// "driver.line" of the bench: its level, and who to blame.
bool line_level(Bench& bench, const std::string& line);
std::string line_part(Bench& bench, const std::string& line);

/// "high" or "low".
inline const char* level_text(bool level) { return level ? "high" : "low"; }

/// A deviation of the device under test.
Failure dut_failure(std::string symptom, std::string message, std::string part, std::string received,
                    std::string cause);

}  // namespace firstlight::steps
