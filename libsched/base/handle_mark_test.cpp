// Tests marks of handles: live and freed objects, and counts of references.
#include "libsched/base/handle_mark.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "libsched/base/ref.hpp"

namespace libsched::handle_mark_test {

#if LIBSCHED_CHECK_HANDLES

using As = HandleMark::Found::As;

struct Inner : HandleMark {
  int64_t number = 7;
};
struct Counted final : RefCounted {
  Inner inner;
};
struct alignas(64) Wide final : RefCounted {
  int64_t number = 7;
};

TEST_CASE("a mark says what an object is until it is freed, and after that") {
  auto* counted = new Counted;
  const Inner* const inner = &counted->inner;
  CHECK(HandleMark::look(counted).as == As::kLive);
  CHECK(HandleMark::look(counted).kind == 0);
  counted->lend_as(3);
  inner->lend_as(4);
  CHECK(HandleMark::look(counted).kind == 3);
  CHECK(HandleMark::look(inner).kind == 4);
  const Inner copy = *inner;
  CHECK(HandleMark::look(&copy).kind == 0);
  counted->unref();
  CHECK(HandleMark::look(counted).as == As::kFreed);
  CHECK(HandleMark::look(counted).kind == 3);
  CHECK(HandleMark::look(inner).as == As::kFreed);

  auto* wide = new Wide;
  wide->lend_as(5);
  wide->unref();
  CHECK(HandleMark::look(wide).as == As::kFreed);
}

TEST_CASE("what is no handle has no mark") {
  const uint64_t words[4] = {};
  CHECK(HandleMark::look(words).as == As::kNothing);
  CHECK(HandleMark::look(reinterpret_cast<const char*>(words) + 1).as == As::kNothing);
}

TEST_CASE("the last that were freed are held back") {
  std::vector<const Inner*> freed;
  for (size_t i = 0; i < HandleMark::kMaxHeld; ++i) {
    auto inner = std::make_unique<Inner>();
    inner->lend_as(9);
    freed.push_back(inner.get());
  }
  for (const Inner* f : freed) CHECK(HandleMark::look(f).as == As::kFreed);
}

TEST_CASE("references of users are counted apart") {
  const Inner m;
  CHECK_FALSE(m.give_back(false, false));
  m.take(false);
  CHECK_FALSE(m.give_back(true, true));  // the only one, and not the plugin's
  m.take(true);
  CHECK(m.give_back(true, true));
  CHECK_FALSE(m.give_back(true, true));
  CHECK(m.give_back(false, false));
  CHECK_FALSE(m.give_back(false, false));
  m.take(true);  // taken in a slot, given back elsewhere
  CHECK(m.give_back(false, false));
  m.take(false);
  CHECK_FALSE(m.give_back(true, true));
}

#else

TEST_CASE("without checks a mark is nothing") {
  struct Derived : HandleMark {
    int64_t number;
  };
  CHECK(sizeof(Derived) == sizeof(int64_t));
  CHECK(sizeof(RefCounted) == 2 * sizeof(int64_t));
}

#endif

}  // namespace libsched::handle_mark_test
