// Compares YAML with the recorded results of sigs.k8s.io/yaml.
#include <map>

#include "libsched/ingest/recorded_table_test.hpp"
#include "libsched/ingest/yaml.hpp"

namespace libsched::yaml_table_test {

using simdjson::dom::array;
using simdjson::dom::element;

std::string text_of(element entry, const char* key) {
  element value;
  return entry[key].get(value) == simdjson::SUCCESS ? text_at(value) : "";
}

// Texts that upstream's function for one document reads differently from kubectl's reader of
// streams or from libyaml.
const std::map<std::string, std::string> kDiffers = {
    {"document start with content", "error: invalid Yaml document separator: {a: 1} (line 1)"},
    {"directive", "error: documents[0]: did not find expected <document start> (line 2, column 1)"},
    {"tag directive",
     "error: documents[0]: did not find expected <document start> (line 2, column 1)"},
    {"double quotes escaped slash", R"({"a":"/"})"},
    {"literal at end without line feed", R"({"a":"x\n"})"},
    {"flow too many",
     "error: more content after the end of the document; separate documents with a line of --- "
     "(line 1, column 4)"},
    {"second document ignored", "2 documents"},
    {"second document broken",
     "error: documents[1].b[0]: did not find expected node content, while parsing a flow node "
     "(line 4, column 1)"},
    {"document end then more",
     "error: more content after the end of the document; separate documents with a line of --- "
     "(line 3, column 1)"},
};

// The one document of a text; "null" for none, "error: ..." for a refused one.
std::string convert(Str text) {
  const auto got = yaml_to_json(text, {});
  if (!got.ok()) return "error: " + got.error().text();
  if (got->size() > 1) return std::to_string(got->size()) + " documents";
  return got->empty() ? "null" : got->front();
}

void check_rows(element part) {
  const std::string frame = text_at(part["document"]);
  size_t rows = 0;
  for (const array row : array(part["rows"])) {
    std::string text = frame;
    text.replace(text.find("TEXT"), 4, text_at(row.at(0)));
    CAPTURE(text);
    const std::string got = convert(text), want = text_at(row.at(1));
    CAPTURE(got);
    // Upstream stops reading after the empty list or mapping, and silently ignores the rest.
    const bool cut = text == "---: 1\n" || text == "[]: 1\n" || text == "{}: 1\n";
    if (want.empty() || cut) {
      CHECK(got.starts_with("error: "));
    } else {
      CHECK(same_json(got, want));
    }
    ++rows;
  }
  CHECK(rows > 1000);
}

TEST_CASE("recorded YAML: scalars") { check_rows(RecordedTable("yaml.json")["scalars"]); }
TEST_CASE("recorded YAML: keys") { check_rows(RecordedTable("yaml.json")["keys"]); }

TEST_CASE("recorded YAML: documents") {
  const RecordedTable table("yaml.json");
  for (const element entry : array(table["documents"])) {
    const std::string name = text_of(entry, "name");
    std::string text = text_of(entry, "text");
    if (bool latin1 = false; entry["latin1"].get(latin1) == simdjson::SUCCESS && latin1) {
      std::string bytes;
      for (size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        bytes.push_back(static_cast<char>(c < 0x80 ? c : (c << 6 | (text[++i] & 0x3f))));
      }
      text = bytes;
    }
    CAPTURE(name);
    CAPTURE(text);
    const std::string got = convert(text), want = text_of(entry, "json");
    CAPTURE(got);
    CAPTURE(want);
    // Upstream's strict mode treats a member repeated by a merge key as a duplicate.
    const bool repeated = text_of(entry, "strictError").find("already set") != std::string::npos;
    if (const auto at = kDiffers.find(name); at != kDiffers.end()) {
      CHECK(got == at->second);
    } else if (repeated && text.find("<<") == std::string::npos) {
      CHECK(got.find("duplicate key") != std::string::npos);
    } else if (want.empty()) {
      CHECK(got.starts_with("error: "));
    } else {
      CHECK(same_json(got, want));
    }
  }
}

TEST_CASE("recorded YAML: streams") {
  const RecordedTable table("yaml.json");
  for (const element entry : array(table["streams"])) {
    const std::string name = text_of(entry, "name");
    CAPTURE(name);
    std::vector<std::string> want;
    bool fails = !text_of(entry, "error").empty();
    array documents;
    if (entry["documents"].get(documents) == simdjson::SUCCESS) {
      for (const element d : documents) {
        fails |= !text_of(d, "error").empty();
        if (const std::string json = text_of(d, "json"); json != "null") want.push_back(json);
      }
    }
    const auto got = yaml_to_json(text_of(entry, "text"), {});
    CAPTURE((got.ok() ? std::string() : got.error().text()));
    REQUIRE(got.ok() == !fails);
    if (fails) continue;
    REQUIRE(got->size() == want.size());
    for (size_t i = 0; i < want.size(); ++i) CHECK(same_json((*got)[i], want[i]));
  }
}

}  // namespace libsched::yaml_table_test
