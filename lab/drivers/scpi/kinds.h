#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/core/quantity.h"

namespace firstlight::scpi {

/// What is said to an instrument, by the way in which it is said.
enum class PurposeKind { setting, question, flag, action };

struct Purpose {
  std::string name;
  PurposeKind kind = PurposeKind::action;
  bool required = true;
  bool by_channel = false;  // must hold `{channel}`, unless the instrument has `select` or no channels
  std::string doc;
};

/// What instruments of a kind can be told and asked, and the settings that they have ranges for.
struct KindSpec {
  std::string name;
  std::string doc;
  std::vector<Purpose> purposes;
  std::map<std::string, Dimension> settings;
  bool needs_channels = false;
};

const std::vector<KindSpec>& kinds();
const KindSpec* find_kind(const std::string& name);

}  // namespace firstlight::scpi
