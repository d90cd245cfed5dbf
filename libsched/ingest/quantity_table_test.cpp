// Quantities against upstream's recorded answers: texts, JSON tokens, comparisons and sums.
#include "libsched/base/quantity.hpp"
#include "libsched/ingest/recorded_table_test.hpp"

namespace libsched::quantity_table_test {

using simdjson::dom::array;

void check(const Result<Quantity>& got, const array& row) {
  const std::string error = text_at(row.at(1));
  REQUIRE((got.ok() ? "" : got.error().message) == error);
  if (!got.ok()) return;
  CHECK(got->value() == int64_t(row.at(2)));
  CHECK(got->milli_value() == int64_t(row.at(3)));
}

TEST_CASE("recorded quantities: texts") {
  const RecordedTable table("quantity.json.gz");
  size_t rows = 0;
  for (const array row : array(table["parse"]["rows"])) {
    const std::string text = text_at(row.at(0));
    CAPTURE(text);
    const auto got = Quantity::parse(text);
    check(got, row);
    if (got.ok()) CHECK(got->sign() == int64_t(row.at(4)));
    if (got.ok()) CHECK(canonical_quantity(*got, text) == text_at(row.at(5)));
    ++rows;
  }
  CHECK(rows > 1000);
}

TEST_CASE("recorded quantities: JSON tokens") {
  const RecordedTable table("quantity.json.gz");
  for (const array row : array(table["json"]["rows"])) {
    std::string token = text_at(row.at(0));
    CAPTURE(token);
    token.erase(token.find_last_not_of(' ') + 1);
    token.erase(0, token.find_first_not_of(' '));
    if (token == "null") continue;  // handled by the object reader
    if (token.size() > 1 && token[0] == '"') token = token.substr(1, token.size() - 2);
    check(Quantity::parse_trimmed(token), row);
  }
}

TEST_CASE("recorded quantities: comparisons and sums") {
  const RecordedTable table("quantity.json.gz");
  size_t rows = 0;
  for (const array row : array(table["pairs"]["rows"])) {
    const std::string texts[] = {text_at(row.at(0)), text_at(row.at(1))};
    CAPTURE(texts[0]);
    CAPTURE(texts[1]);
    const Quantity a = *Quantity::parse(texts[0]), b = *Quantity::parse(texts[1]);
    CHECK(a.compare(b) == int64_t(row.at(2)));
    Quantity sum = a;
    sum.add(b);
    CHECK(sum.value() == int64_t(row.at(3)));
    CHECK(sum.milli_value() == int64_t(row.at(4)));
    ++rows;
  }
  CHECK(rows > 1000);
}

}  // namespace libsched::quantity_table_test
