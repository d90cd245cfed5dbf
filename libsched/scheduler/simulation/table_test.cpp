// Tables: values and nulls, CSV and JSON, and what a consumer of Arrow's structs finds.
#include "libsched/scheduler/simulation/table.hpp"

#include <limits>

#include "doctest/doctest.h"
#include "libsched/scheduler/simulation/arrow.hpp"

namespace libsched::table_test {

Ref<Table> sample() {
  auto t = make_ref<Table>("pods");
  t->columns = {{"name", ColumnType::kText},      {"state", ColumnType::kWord},
                {"at", ColumnType::kNanoseconds}, {"count", ColumnType::kInt64},
                {"share", ColumnType::kDouble},   {"a,\"b\"", ColumnType::kWord}};
  const char* names[] = {"a", "x,\"y\"", "", "line\nbreak"};
  for (size_t i = 0; i < 4; ++i) {
    t->columns[0].add(Str(names[i]));
    t->columns[1].add(Str(i % 2 == 0 ? "bound" : "pending"));
    t->columns[2].add(static_cast<int64_t>(i) * 1'500'000'000 - 1);
    t->columns[3].add(i == 2 ? std::optional<int64_t>() : static_cast<int64_t>(i));
    t->columns[4].add(i == 3 ? std::numeric_limits<double>::infinity()
                             : 0.1 * static_cast<double>(i));
    i == 0 ? t->columns[5].add_null() : t->columns[5].add(Str("w"));
  }
  return t;
}

std::string written(const Table& t, Result<void> (Table::*write)(const WriteText&) const) {
  std::string out;
  const Result<void> done = (t.*write)([&](Str piece) {
    out += piece;
    return true;
  });
  REQUIRE(done.ok());
  return out;
}

TEST_CASE("a table as CSV") {
  CHECK(written(*sample(), &Table::write_csv) ==
        "name,state,at,count,share,\"a,\"\"b\"\"\"\n"
        "a,bound,-0.000000001,0,0,\n"
        "\"x,\"\"y\"\"\",pending,1.499999999,1,0.1,w\n"
        ",bound,2.999999999,,0.2,w\n"
        "\"line\nbreak\",pending,4.499999999,3,,w\n");
}

TEST_CASE("a table as JSON") {
  CHECK(written(*sample(), &Table::write_json) ==
        R"([{"name":"a","state":"bound","at":-0.000000001,"count":0,"share":0,"a,\"b\"":null},
{"name":"x,\"y\"","state":"pending","at":1.499999999,"count":1,"share":0.1,"a,\"b\"":"w"},
{"name":"","state":"bound","at":2.999999999,"count":null,"share":0.2,"a,\"b\"":"w"},
{"name":"line\nbreak","state":"pending","at":4.499999999,"count":3,"share":null,"a,\"b\"":"w"}])");
  CHECK(written(Table("empty"), &Table::write_json) == "[]");
}

TEST_CASE("a table is written in pieces, and the reader may end it") {
  Table t("long");
  t.columns.emplace_back("n", ColumnType::kInt64);
  for (int64_t i = 0; i < 50'000; ++i) t.columns[0].add(i);
  size_t pieces = 0, largest = 0;
  const auto count = [&](Str piece) {
    ++pieces;
    largest = std::max(largest, piece.size());
    return true;
  };
  REQUIRE(t.write_csv(count).ok());
  CHECK(pieces > 3);
  CHECK(largest < 70'000);
  const Result<void> ended = t.write_json([](Str) { return false; });
  REQUIRE(!ended.ok());
  CHECK(ended.error().rc == Rc::kCancelled);
}

TEST_CASE("seconds are exact") {
  CHECK(seconds_text(0) == "0.000000000");
  CHECK(seconds_text(-1'000'000'001) == "-1.000000001");
  CHECK(seconds_text(std::numeric_limits<int64_t>::min()) == "-9223372036.854775808");
}

// Reads a text or word of an array.
std::string text_of(const ArrowArray& a, int64_t row) {
  if (a.dictionary != nullptr)
    return text_of(*a.dictionary, static_cast<const int32_t*>(a.buffers[1])[row]);
  const auto* ends = static_cast<const int64_t*>(a.buffers[1]);
  return {static_cast<const char*>(a.buffers[2]) + ends[row],
          static_cast<size_t>(ends[row + 1] - ends[row])};
}
bool null_at(const ArrowArray& a, int64_t row) {
  const auto* valid = static_cast<const uint8_t*>(a.buffers[0]);
  return valid != nullptr && (valid[row / 8] >> (row % 8) & 1) == 0;
}

TEST_CASE("Arrow's structs describe the table and keep it alive") {
  Ref<Table> t = sample();
  ArrowArrayStream stream;
  export_stream(t, &stream);
  CHECK(!t->unique());
  t = {};

  ArrowSchema schema;
  REQUIRE(stream.get_schema(&stream, &schema) == 0);
  CHECK(Str(schema.format) == "+s");
  REQUIRE(schema.n_children == 6);
  const char* formats[] = {"U", "i", "tDn", "l", "g", "i"};
  for (size_t i = 0; i < 6; ++i) {
    CHECK(Str(schema.children[i]->format) == formats[i]);
    CHECK(schema.children[i]->flags == ARROW_FLAG_NULLABLE);
  }
  CHECK(Str(schema.children[5]->name) == "a,\"b\"");
  CHECK(Str(schema.children[1]->dictionary->format) == "U");

  ArrowArray batch, end;
  REQUIRE(stream.get_next(&stream, &batch) == 0);
  REQUIRE(stream.get_next(&stream, &end) == 0);
  CHECK_UNARY(end.release == nullptr);
  stream.release(&stream);
  CHECK_UNARY(stream.release == nullptr);

  REQUIRE(batch.n_children == 6);
  CHECK(batch.length == 4);
  // A consumer may move a child out, and release the rest first.
  ArrowArray names = *batch.children[0];
  batch.children[0]->release = nullptr;
  ArrowArray& states = *batch.children[1];
  CHECK(states.dictionary->length == 2);
  CHECK(text_of(states, 3) == "pending");
  CHECK(text_of(states, 2) == "bound");
  CHECK(static_cast<const int64_t*>(batch.children[2]->buffers[1])[1] == 1'499'999'999);
  ArrowArray& counts = *batch.children[3];
  CHECK(counts.null_count == 1);
  CHECK(null_at(counts, 2));
  CHECK(!null_at(counts, 3));
  CHECK(static_cast<const double*>(batch.children[4]->buffers[1])[2] == 0.2);
  CHECK(null_at(*batch.children[5], 0));
  CHECK(text_of(*batch.children[5], 1) == "w");
  batch.release(&batch);
  CHECK(names.length == 4);
  CHECK(text_of(names, 1) == "x,\"y\"");
  CHECK(text_of(names, 2).empty());
  names.release(&names);
  CHECK_UNARY(names.release == nullptr);
  schema.release(&schema);
}

TEST_CASE("nulls keep their places beyond the first byte of bits") {
  auto t = make_ref<Table>("t");
  t->columns.emplace_back("n", ColumnType::kInt64);
  for (int64_t i = 0; i < 100; ++i)
    t->columns[0].add(i % 7 == 3 && i > 20 ? std::optional<int64_t>() : i);
  ArrowArray batch;
  export_array(t, &batch);
  for (int64_t i = 0; i < 100; ++i) {
    CHECK(t->columns[0].null(static_cast<size_t>(i)) == (i % 7 == 3 && i > 20));
    CHECK(null_at(*batch.children[0], i) == (i % 7 == 3 && i > 20));
  }
  batch.release(&batch);
}

TEST_CASE("an empty table has arrays without rows") {
  auto t = make_ref<Table>("t");
  t->columns = {{"a", ColumnType::kText}, {"b", ColumnType::kWord}};
  ArrowArray batch;
  export_array(t, &batch);
  CHECK(batch.length == 0);
  CHECK(static_cast<const int64_t*>(batch.children[0]->buffers[1])[0] == 0);
  CHECK(batch.children[1]->dictionary->length == 0);
  CHECK(static_cast<const int64_t*>(batch.children[1]->dictionary->buffers[1])[0] == 0);
  batch.release(&batch);
}

}  // namespace libsched::table_test
