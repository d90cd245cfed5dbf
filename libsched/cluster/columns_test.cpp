// That every column begins at a cache line, whatever has grown or was copied. (Amounts are compared
// with a model in cluster_model_test.cpp.)
#include "libsched/cluster/columns.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace libsched {
namespace {

bool at_a_line(const void* p) { return reinterpret_cast<uintptr_t>(p) % 64 == 0; }

void check(const Columns& columns) {
  for (uint32_t id = 0; id < columns.count(); ++id) {
    CHECK(at_a_line(columns.resource(id).allocatable.data()));
    CHECK(at_a_line(columns.resource(id).left.data()));
    CHECK(at_a_line(columns.inverse(id)));
  }
  CHECK(at_a_line(columns.nonzero_cpu().data()));
  CHECK(at_a_line(columns.nonzero_memory().data()));
}

TEST_CASE("columns begin at a cache line, also after growing and in copies") {
  Columns columns;
  for (const size_t rows : {1, 100, 1000, 30000}) {
    columns.reserve_rows(rows);
    check(columns);
    const Columns copy = columns;
    check(copy);
  }
}

}  // namespace
}  // namespace libsched
