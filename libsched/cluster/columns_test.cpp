// Every column begins at a cache line, even after growing and copying. (cluster_model_test.cpp
// compares amounts with a model.)
#include "libsched/cluster/columns.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace libsched::columns_test {

void check(const Columns& columns) {
  const auto at_lines = [&](const RowColumn& column) {
    if (!column) return;
    for (size_t w = 0; w < columns.capacity() / 64; ++w)
      CHECK(reinterpret_cast<uintptr_t>(column.word(w)) % 64 == 0);
  };
  for (uint32_t id = 0; id < columns.count(); ++id) {
    at_lines(columns.allocatable_column(id));
    at_lines(columns.left_column(id));
  }
  at_lines(columns.nonzero_column(kCpu));
  at_lines(columns.nonzero_column(kMemory));
}

TEST_CASE("columns begin at a cache line, also after growing, in copies and in snapshots") {
  Columns columns;
  const ScalarAmount gpus[] = {{"example.com/gpu", 1, hash_str("example.com/gpu")}};
  Resources with_scalar;
  with_scalar.scalars = gpus;
  for (const size_t rows : {1, 100, 1000, 30000}) {
    columns.reserve_rows(rows);
    columns.prepare(with_scalar);
    check(columns);
    const Columns copy = columns;
    check(copy);
    const Columns shown = columns.publish();
    check(shown);
    columns.add_pod(static_cast<uint32_t>(rows - 1), with_scalar, {});
    check(columns.publish());
    columns.remove_pod(static_cast<uint32_t>(rows - 1), with_scalar, {});
  }
}

TEST_CASE(
    "a number that is kept of a row goes once cpu or memory of the row changes, and snapshots have "
    "none") {
  Columns columns;
  CHECK(columns.memos() == nullptr);
  columns.reserve_rows(100);
  CHECK(columns.publish().memos() == nullptr);
  for (uint32_t row = 0; row < 100; ++row) CHECK(columns.memos()[row] == Columns::kNoMemo);
  Resources some;
  some.milli_cpu = 5;
  const auto forgets = [&](auto&& change) {
    columns.memos()[6] = columns.memos()[7] = 42;
    change();
    CHECK(columns.memos()[6] == 42);
    CHECK(columns.memos()[7] == Columns::kNoMemo);
  };
  forgets([&] { columns.set_allocatable(7, some); });
  forgets([&] { columns.add_pod(7, some, {}); });
  forgets([&] { columns.remove_pod(7, some, {}); });
  forgets([&] { columns.clear_allocatable(7, some); });
  columns.memos()[7] = 42;
  columns.reserve_rows(1000);
  CHECK(columns.memos()[7] == 42);
  CHECK(columns.memos()[999] == Columns::kNoMemo);
}

TEST_CASE("arrays are those of a writer's columns, and a snapshot has none") {
  Columns columns;
  CHECK(columns.arrays(kCpu).allocatable == nullptr);
  columns.reserve_rows(100);
  for (const uint32_t id : {kCpu, kMemory}) {
    const Columns::Arrays arrays = columns.arrays(id);
    CHECK(arrays.allocatable == columns.allocatable_column(id).word(0));
    CHECK(arrays.left == columns.left_column(id).word(0));
    CHECK(arrays.nonzero == columns.nonzero_column(id).word(0));
    CHECK(arrays.inverse[99] == 0);
    CHECK(columns.publish().arrays(id).allocatable == nullptr);
  }
}

}  // namespace libsched::columns_test
