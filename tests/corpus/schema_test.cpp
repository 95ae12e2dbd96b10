#include "lab/bench/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "lab/core/quantity.h"
#include "lab/document/document.h"
#include "lab/sequence/schema.h"
#include "tests/corpus/expectation.h"
#include "tests/corpus/vocabulary.h"

namespace firstlight {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCorpus = FIRSTLIGHT_CORPUS_DIR;

/// As an editor's YAML server would see it: plain scalars typed by the YAML 1.2 core schema.
Json as_json(const Node& node) {
  if (node.is_map()) {
    Json out = Json::object();
    for (const Entry& entry : node.entries) out[entry.key] = as_json(entry.value);
    return out;
  }
  if (node.is_list()) {
    Json out = Json::array();
    for (const Node& item : node.items) out.push_back(as_json(item));
    return out;
  }
  if (node.is_null()) return nullptr;
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const auto number = parse_quantity(node.text, Dimension::none);
  if (!number) return node.text;
  const bool whole = node.text.find_first_of(".eE") == std::string::npos || node.text.substr(0, 2) == "0x";
  return whole ? Json(static_cast<std::int64_t>(number->value)) : Json(number->value);
}

class SchemaValidator {
 public:
  explicit SchemaValidator(const std::string& text) : json_(Json::parse(text)) {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), schema_);
  }

  /// What the schema has against the document; empty when nothing.
  std::string check(const Json& document) {
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
    std::string out;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const std::string& part : error.context) out += part;
      out += ": " + error.description + '\n';
    }
    return out;
  }

 private:
  Json json_;
  valijson::Schema schema_;
};

std::string check(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const auto document = load_document(file.string(), diagnostics);
  if (!document) return to_text(diagnostics);
  static SchemaValidator bench(bench_schema(corpus_vocabulary()));
  static SchemaValidator sequence(sequence_schema(corpus_vocabulary()));
  const bool is_bench = document->root.find("phases") == nullptr && document->root.find("sequence") == nullptr;
  return (is_bench ? bench : sequence).check(as_json(document->root));
}

TEST(Schema, TakesEveryGoodFile) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus / "good")) {
    EXPECT_EQ(check(entry.path()), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
}

TEST(Schema, RefusesWhatItCanSee) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus / "bad")) {
    if (entry.path().extension() != ".expect" || !read_expectation(entry.path().string()).schema) continue;
    auto file = entry.path();
    EXPECT_NE(check(file.replace_extension(".yaml")), "") << file << " is valid by the schema";
    ++files;
  }
  EXPECT_GE(files, 20);
}

TEST(Schema, NamesItsDialectAndDocumentsEveryVerb) {
  const Json schema = Json::parse(sequence_schema(corpus_vocabulary()));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const Json& verb = schema["$defs"]["verb"];
  EXPECT_EQ(verb["properties"]["do"]["enum"].size(), corpus_vocabulary().steps.size());
  for (const Json& rule : verb["allOf"]) EXPECT_NE(rule["then"]["properties"]["do"]["description"], "");
}

}  // namespace
}  // namespace firstlight
