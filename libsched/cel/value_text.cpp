// Values as texts: as Go prints them in errors, and with their types for people and tests.
#include <algorithm>
#include <cmath>

#include "libsched/base/go_float.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/cel/lib/duration.hpp"
#include "libsched/cel/lib/format.hpp"
#include "libsched/cel/lib/numbers.hpp"
#include "libsched/cel/machine.hpp"

namespace libsched::cel {
namespace {

constexpr int kMostLevels = 200;
constexpr size_t kMostTextBytes = size_t{512} << 10;

std::string quantity_text(const Value& v) {
  const bool is_computed = (v.flags & Value::kPointer) != 0;
  const QuantityValue& q = *v.quantity;
  return is_computed ? computed_quantity(q.value, q.written)
                     : canonical_quantity(q.value, q.written);
}

std::string hex_text(Str bytes) {
  std::string out;
  for (const char c : bytes) {
    constexpr Str kDigits = "0123456789abcdef";
    const auto b = static_cast<uint8_t>(c);
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

// As Go's strconv.QuoteToASCII.
std::string quote_ascii(Str s) {
  std::string out = "\"";
  const auto escaped = [&](char letter, uint32_t code, int digits) {
    out += '\\';
    out += letter;
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
      out += "0123456789abcdef"[(code >> shift) & 15];
  };
  for (size_t at = 0; at < s.size();) {
    const size_t length = utf8_length(s, at);
    const auto c = static_cast<uint8_t>(s[at]);
    if (length <= 1) {
      constexpr Str kShort = "\aa\bb\ff\nn\rr\tt\vv\\\\\"\"";
      size_t k = 0;
      while (k < kShort.size() && kShort[k] != s[at]) k += 2;
      if (k < kShort.size())
        out.append("\\").push_back(kShort[k + 1]);
      else if (c < 0x20 || c >= 0x7f)
        escaped('x', c, 2);
      else
        out += s[at];
    } else {
      uint32_t code = c & (0x7fu >> length);
      for (size_t i = 1; i < length; ++i)
        code = code << 6 | (static_cast<uint8_t>(s[at + i]) & 63u);
      if (code < 0x10000)
        escaped('u', code, 4);
      else
        escaped('U', code, 8);
    }
    at += std::max<size_t>(length, 1);
  }
  return out + '"';
}

std::string timestamp_utc(const Timestamp& t) {
  Timestamp utc = t;
  utc.offset = 0;
  return format_timestamp(utc);
}

class Renderer {
 public:
  explicit Renderer(Machine& m) : m_(m) {}

  std::string run(const Value& v, int level) {
    if (level > kMostLevels || written_ > kMostTextBytes) return "...";
    std::string out = text(v, level);
    written_ += out.size();
    return out;
  }

 private:
  std::string text(const Value& v, int level) {
    const auto call = [](Str name, const std::string& inner) {
      return std::string(name) + '(' + inner + ')';
    };
    switch (v.kind) {
      case ValueKind::kError: return "error(?)";
      case ValueKind::kNull: return "null";
      case ValueKind::kBool: return v.integer != 0 ? "true" : "false";
      case ValueKind::kInt: return call("int", std::to_string(v.integer));
      case ValueKind::kUint: return call("uint", std::to_string(v.uinteger));
      case ValueKind::kDouble: return call("double", go_float(v.number));
      case ValueKind::kString: return quote_ascii(v.text().substr(0, kMostTextBytes));
      case ValueKind::kBytes: return call("bytes", hex_text(v.text().substr(0, kMostTextBytes)));
      case ValueKind::kDuration: return call("duration", std::to_string(v.integer) + "ns");
      case ValueKind::kTimestamp: return call("timestamp", timestamp_utc(*v.timestamp));
      case ValueKind::kType: return call("type", std::string(v.text()));
      case ValueKind::kEmpty: return "google.protobuf.Empty(?)";
      case ValueKind::kOptional:
        return call("optional", v.inner == nullptr ? std::string() : run(*v.inner, level + 1));
      case ValueKind::kQuantity: {
        const bool is_pointer = (v.flags & Value::kPointer) != 0;
        return call(is_pointer ? "&quantity" : "quantity", quantity_text(v));
      }
      case ValueKind::kSemver: return call("semver", to_string(*v.semver));
      case ValueKind::kUrl: return call("url", quote_ascii(v.url->text));
      case ValueKind::kIp: return call("ip", to_string(*v.ip));
      case ValueKind::kCidr: return call("cidr", to_string(*v.cidr));
      case ValueKind::kFormat:
        return call("format", std::string(formats()[static_cast<size_t>(v.integer)].title));
      case ValueKind::kList: {
        std::string out = "[";
        for (uint32_t i = 0; i < v.list->size; ++i) {
          if (i > 0) out += ", ";
          out += run(v.list->items[i], level + 1);
          if (written_ > kMostTextBytes) break;
        }
        return out + ']';
      }
      default: return map(v, level);
    }
  }

  std::string map(const Value& v, int level) {
    const Map* const all = m_.whole(v);
    if (all == nullptr) return std::string(kCostError);
    std::vector<std::string> entries;
    for (uint32_t i = 0; i < all->size && written_ <= kMostTextBytes; ++i)
      entries.push_back(run(all->keys[i], level + 1) + ": " + run(all->values[i], level + 1));
    std::sort(entries.begin(), entries.end());
    std::string out = "{";
    for (const std::string& entry : entries) out += (out.size() > 1 ? ", " : "") + entry;
    return out + '}';
  }

  Machine& m_;
  size_t written_ = 0;
};

}  // namespace

namespace {
std::string go_text_inside(Machine& m, const Value& v);
}  // namespace

std::string render(Machine& m, const Value& v) { return Renderer(m).run(v, 0); }

std::string go_text(Machine& m, const Value& v) {
  if (!m.spend(20) || !m.enter()) return {};
  std::string out = go_text_inside(m, v);
  m.leave();
  return out;
}

namespace {

std::string go_text_inside(Machine& m, const Value& v) {
  switch (v.kind) {
    case ValueKind::kError:
    case ValueKind::kString:
    case ValueKind::kType: return std::string(v.text());
    case ValueKind::kNull: return "0";
    case ValueKind::kInt: return std::to_string(v.integer);
    case ValueKind::kUint: return std::to_string(v.uinteger);
    case ValueKind::kDouble: return go_float(v.number);
    case ValueKind::kBytes: {
      std::string out = "[";
      for (const char c : v.text())
        out += (out.size() > 1 ? " " : "") + std::to_string(static_cast<uint8_t>(c));
      return out + ']';
    }
    case ValueKind::kOptional:
      return v.inner == nullptr ? "optional.none()" : "optional(" + go_text(m, *v.inner) + ')';
    case ValueKind::kList: {
      std::string out = "[";
      for (uint32_t i = 0; i < v.list->size && out.size() < kMostTextBytes; ++i)
        out += (i > 0 ? ", " : "") + go_text(m, v.list->items[i]);
      return out + ']';
    }
    case ValueKind::kQuantity: return quantity_text(v);
    case ValueKind::kSemver: return to_string(*v.semver);
    case ValueKind::kIp: return to_string(*v.ip);
    case ValueKind::kCidr: return to_string(*v.cidr);
    case ValueKind::kUrl: return std::string(v.url->text);
    default: return render(m, v);
  }
}

}  // namespace

int64_t size_of(Machine& m, const Value& v) {
  switch (v.kind) {
    case ValueKind::kString: return m.spend(v.size / 4) ? code_points(v.text()) : 0;
    case ValueKind::kBytes: return v.size;
    case ValueKind::kList: return v.list->size;
    case ValueKind::kMap: return v.map->size;
    case ValueKind::kIp: return v.ip->size;
    case ValueKind::kCidr: return v.cidr->size();
    default: break;
  }
  if (!v.is_map()) return -1;
  const Map* const all = m.whole(v);
  return all == nullptr ? 0 : all->size;
}

}  // namespace libsched::cel
