// The scalars and the messages of StrictDecoder.
#include "libsched/config/strict_decoder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "libsched/base/base64.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

constexpr size_t kMaxStrictErrors = 100;  // upstream stops collecting there

}  // namespace

StrictDecoder::Scope::Scope(StrictDecoder& d, Str type, Str embedded, Str key)
    : d_(d), struct_(d.struct_), fields_(d.fields_.size()), path_(d.path_.size()) {
  d.struct_ = type.substr(type.find('.') + 1);
  if (!embedded.empty()) d.fields_.emplace_back(embedded);
  d.fields_.emplace_back(key);
  if (!d.path_.empty()) d.path_ += '.';
  d.path_ += key;
}

StrictDecoder::Scope::~Scope() {
  d_.struct_ = struct_;
  d_.fields_.resize(fields_);
  d_.path_.resize(path_);
}

std::string StrictDecoder::type_error(Str value, Str type) const {
  std::string out = "json: cannot unmarshal " + std::string(value) + " into Go ";
  if (fields_.empty()) {
    out += "value";
  } else {
    out += "struct field " + std::string(struct_);
    for (const std::string& f : fields_) out += "." + f;
  }
  return out + " of type " + std::string(type);
}

void StrictDecoder::save(std::string message) {
  if (saved_) return;
  saved_ = std::move(message);
  if (!fatal_) error_path_ = path_;
}

void StrictDecoder::fail(std::string message) {
  fatal_ = std::move(message);
  error_path_ = path_;
}

void StrictDecoder::strict_error(Str what, Str key) {
  const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  std::string text = std::string(what) + " " + go_quote(path);
  if (strict_.size() >= kMaxStrictErrors) return;
  if (std::find(strict_.begin(), strict_.end(), text) != strict_.end()) return;
  if (strict_.empty()) strict_path_ = path;
  strict_.push_back(std::move(text));
}

bool StrictDecoder::begin(const JsonValue& v, JsonValue::Kind kind, Str type) {
  if (fatal_ || v.is_null()) return false;
  if (v.kind == kind) return true;
  save(type_error(v.kind_name(), type));
  return false;
}

void StrictDecoder::strings(const JsonValue& v, std::vector<std::string>& out, bool* present) {
  list(
      v, "[]string", out,
      [](StrictDecoder& d, const JsonValue& e, std::string& s) { d.string(e, s); }, present);
}

void StrictDecoder::string(const JsonValue& v, std::string& out, Str type) {
  if (begin(v, JsonValue::Kind::kString, type)) out = v.text;
}

void StrictDecoder::string(const JsonValue& v, std::optional<std::string>& out, Str type) {
  if (v.is_null()) return out.reset();
  if (!out) out.emplace();
  string(v, *out, type);
}

void StrictDecoder::boolean(const JsonValue& v, bool& out) {
  if (begin(v, JsonValue::Kind::kBool, "bool")) out = v.is_true();
}

void StrictDecoder::boolean(const JsonValue& v, std::optional<bool>& out) {
  if (v.is_null()) return out.reset();
  if (!out) out.emplace();
  boolean(v, *out);
}

template <typename T>
void StrictDecoder::integer(const JsonValue& v, Str type, T& out) {
  if (!begin(v, JsonValue::Kind::kNumber, type)) return;
  T n{};
  const char* end = v.raw.data() + v.raw.size();
  const auto [p, ec] = std::from_chars(v.raw.data(), end, n);
  if (ec != std::errc() || p != end) return save(type_error("number " + std::string(v.raw), type));
  out = n;
}

void StrictDecoder::int32(const JsonValue& v, int32_t& out) { integer(v, "int32", out); }
void StrictDecoder::int64(const JsonValue& v, int64_t& out) { integer(v, "int64", out); }

void StrictDecoder::int32(const JsonValue& v, std::optional<int32_t>& out) {
  if (v.is_null()) return out.reset();
  if (!out) out.emplace();
  int32(v, *out);
}

void StrictDecoder::int64(const JsonValue& v, std::optional<int64_t>& out) {
  if (v.is_null()) return out.reset();
  if (!out) out.emplace();
  int64(v, *out);
}

void StrictDecoder::float32(const JsonValue& v, float& out) {
  if (!begin(v, JsonValue::Kind::kNumber, "float32")) return;
  float f = 0;
  const char* end = v.raw.data() + v.raw.size();
  const auto [p, ec] = std::from_chars(v.raw.data(), end, f);
  if (ec == std::errc::result_out_of_range) {
    // Too small reads as zero, too large is an error; both have the same code here.
    const double d = std::strtod(std::string(v.raw).c_str(), nullptr);
    if (std::fabs(d) < 1) {
      out = 0;
      return;
    }
  }
  if (ec != std::errc() || p != end)
    return save(type_error("number " + std::string(v.raw), "float32"));
  out = f;
}

void StrictDecoder::bytes(const JsonValue& v, std::string& out) {
  if (fatal_) return;
  if (v.is_null()) return out.clear();
  if (v.kind == JsonValue::Kind::kArray) {
    // An array of numbers is a byte slice, too.
    std::vector<int32_t> numbers;
    list(v, "[]uint8", numbers, [](StrictDecoder& d, const JsonValue& e, int32_t& n) {
      int64_t wide = 0;
      if (!d.begin(e, JsonValue::Kind::kNumber, "uint8")) return;
      d.integer(e, "uint8", wide);
      if (wide < 0 || wide > 255) d.save(d.type_error("number " + std::string(e.raw), "uint8"));
      n = static_cast<int32_t>(wide & 255);
    });
    out.clear();
    for (const int32_t n : numbers) out += static_cast<char>(n);
    return;
  }
  if (!begin(v, JsonValue::Kind::kString, "[]uint8")) return;
  std::string decoded;
  const size_t bad = decode_base64(v.text, decoded);
  if (bad != Str::npos) return save("illegal base64 data at input byte " + std::to_string(bad));
  out = std::move(decoded);
}

void StrictDecoder::duration(const JsonValue& v, int64_t& out_ns) {
  if (fatal_) return;
  if (!v.is_null() && v.kind != JsonValue::Kind::kString) {
    return fail(type_error(v.kind_name(), "string"));
  }
  auto ns = parse_duration(v.text);
  if (!ns) return fail(std::move(ns.error().message));
  out_ns = *ns;
}

void StrictDecoder::duration(const JsonValue& v, std::optional<int64_t>& out_ns) {
  if (v.is_null()) return out_ns.reset();
  int64_t ns = 0;
  duration(v, ns);
  if (!fatal_) out_ns = ns;
}

void StrictDecoder::string_map(const JsonValue& v,
                               std::vector<std::pair<std::string, std::string>>& out) {
  if (v.is_null()) return out.clear();
  if (!begin(v, JsonValue::Kind::kObject, "map[string]string")) return;
  for (const auto& [key, member] : v.members) {
    const auto same = [&key = key](const auto& e) { return e.first == key; };
    const auto known = std::find_if(out.begin(), out.end(), same);
    if (known != out.end()) strict_error("duplicate field", key);
    auto& entry = known != out.end() ? *known : out.emplace_back(key, std::string());
    const size_t path = path_.size();
    path_ += "." + key;
    string(member, entry.second);
    path_.resize(path);
  }
}

}  // namespace libsched
