// Fields of protobuf, of one byte and of several.
#include "libsched/base/wire.hpp"

#include <doctest/doctest.h>

namespace libsched::wire_test {

// A number in at least so many bytes, more of them than it needs.
std::string varint(uint64_t number, size_t bytes = 1) {
  std::string out;
  for (; number >= 0x80 || bytes > 1; bytes -= bytes > 1 ? 1 : 0, number >>= 7)
    out += static_cast<char>((number & 0x7f) | 0x80);
  return out + static_cast<char>(number);
}

TEST_CASE("A field is the same in any number of bytes, and is missed when one is cut off") {
  for (const uint32_t number : {1U, 15U, 16U, 300U})
    for (const uint64_t value :
         {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, ~uint64_t{0}})
      for (const size_t bytes : {1, 2, 4})
        for (const bool text : {false, true}) {
          if (text && value > 200) continue;
          const std::string content(text ? value : 0, 'x');
          const std::string field =
              varint(uint64_t{number} << 3 | (text ? WireField::kBytes : WireField::kVarint),
                     bytes) +
              varint(value, bytes) + content;
          CAPTURE(number);
          CAPTURE(value);
          CAPTURE(bytes);
          for (const std::string after : {"", "\x08\x01"}) {
            const std::string all = field + after;
            WireReader wire(all);
            WireField f;
            REQUIRE(wire.next(f));
            CHECK(f.number == number);
            CHECK(f.type == (text ? WireField::kBytes : WireField::kVarint));
            if (text)
              CHECK(f.bytes == content);
            else
              CHECK(f.varint == value);
            CHECK(wire.next(f) == !after.empty());
            CHECK(wire.problem().empty());
          }
          for (size_t size = 1; size < field.size(); ++size) {
            WireReader wire(Str(field).substr(0, size));
            WireField f;
            REQUIRE(!wire.next(f));
            CHECK(!wire.problem().empty());
          }
        }
  for (const char* const wrong :
       {"\x01\x01", "\x02\x01", "\x0c\x01", "\x0e\x01"}) {  // field 0, group, type 6
    WireReader wire(wrong);
    WireField f;
    CHECK(!wire.next(f));
    CHECK(!wire.problem().empty());
  }
}

}  // namespace libsched::wire_test
