#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/diagnostic.h"
#include "lab/core/quantity.h"
#include "lab/core/value.h"
#include "lab/core/vocabulary.h"
#include "lab/document/names.h"
#include "lab/document/node.h"

namespace firstlight {

/// A node and the way to it, for messages.
struct Place {
  const Node* node = nullptr;
  std::string path;  // "phases[0].steps[2].with.rail"

  const Node& operator*() const { return *node; }
  const Node* operator->() const { return node; }
  Place item(std::size_t index) const { return {&node->items[index], path + '[' + std::to_string(index) + ']'}; }
};

/// Turns nodes into typed values; what does not fit goes to the diagnostics, and the caller gets nothing.
class Reader {
 public:
  Reader(Diagnostics& diagnostics, const NameTable& names) : diagnostics_(diagnostics), names_(names) {}

  void error(const SourceLocation& where, const std::string& path, std::string message,
             std::string suggestion = {}) const;
  void error(const Place& place, std::string message, std::string suggestion = {}) const {
    if (!place->broken) error(place->where, place.path, std::move(message), std::move(suggestion));
  }

  std::optional<std::string> text(const Place& place) const;
  /// A word of letters, digits, `_`, `-` and (with `dots`) `.` that begins with a letter: what names things.
  std::optional<std::string> identifier(const Place& place, bool dots = false) const;
  std::optional<bool> boolean(const Place& place) const;
  std::optional<std::int64_t> integer(const Place& place) const;
  std::optional<Quantity> quantity(const Place& place, Dimension dimension) const;
  std::optional<Quantity> any_quantity(const Place& place) const;
  /// A time of at least zero or, with `positive`, above it.
  std::optional<Duration> duration(const Place& place, bool positive) const;
  /// One of `choices`; `what` says of what in the message.
  std::optional<std::string> choice(const Place& place, const std::vector<std::string>& choices,
                                    const std::string& what) const;
  std::optional<std::string> name(const Place& place, NameKind kind) const;
  /// The items of a list; a lone scalar stands for a list of one.
  std::vector<Place> items(const Place& place) const;
  /// What the table asks for; not set when the node does not fit. `floating` replaces the dimension of quantities that
  /// the table leaves open, Dimension::none in it meaning any.
  Value value(const Place& place, const ParamSpec& spec, std::optional<Dimension> floating = std::nullopt) const;
  /// A free-form value, typed by its looks.
  Value free_value(const Node& node) const;

  Diagnostics& diagnostics() const { return diagnostics_; }
  const NameTable& names() const { return names_; }

 private:
  Value scalar_value(const Place& place, const ParamSpec& spec, ParamType type,
                     std::optional<Dimension> floating) const;
  void check_bounds(const Place& place, const ParamSpec& spec, double value, Dimension dimension) const;

  Diagnostics& diagnostics_;
  const NameTable& names_;
};

/// A map whose keys are known. It remembers which keys were asked for: `finish` tells the rest as unknown.
class MapReader {
 public:
  /// @param what names the map in messages: "a rail"
  MapReader(const Reader& reader, Place place, std::string what);

  /// False when the node is no map; that was told already.
  bool valid() const { return valid_; }
  const Place& place() const { return place_; }
  /// The value of a key, null when it is not there. Empty values are told and count as absent.
  std::optional<Place> find(const std::string& key);
  /// The same for a key that must be there.
  std::optional<Place> require(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  std::optional<std::string> required_text(const std::string& key);
  /// Every parameter of a table, defaults filled in.
  Value::Map params(const std::vector<ParamSpec>& specs, std::optional<Dimension> floating = std::nullopt);
  void finish();

 private:
  void fill(Value::Map& out, const ParamSpec& spec, std::optional<Dimension> floating);

  const Reader& reader_;
  Place place_;
  std::string what_;
  bool valid_ = false;
  std::vector<std::string> known_;
};

/// The type of a parameter in words: "a voltage (uV, mV, V, kV)".
std::string describe(const ParamSpec& spec);

}  // namespace firstlight
