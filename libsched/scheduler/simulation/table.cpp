// See table.hpp.
#include "libsched/scheduler/simulation/table.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

constexpr size_t kPiece = 64 << 10;

std::string csv_field(Str text) {
  if (text.find_first_of(",\"\r\n") == Str::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

// Collects a text and writes it in large pieces.
class Writer {
 public:
  explicit Writer(const WriteText& write) : write_(write) {}

  std::string& text() { return text_; }
  Result<void> row_done() { return text_.size() < kPiece ? Result<void>() : flush(); }
  Result<void> flush() {
    if (!text_.empty() && !write_(text_)) return Error{Rc::kCancelled, "writing was ended"};
    text_.clear();
    return {};
  }

 private:
  const WriteText& write_;
  std::string text_;
};

// Formats a number, for CSV and JSON. The value is neither a text nor null.
std::string number_text(const Column& c, size_t row) {
  if (c.type() == ColumnType::kDouble) return double_text(c.real(row));
  if (c.type() == ColumnType::kNanoseconds) return seconds_text(c.integer(row));
  return std::to_string(c.integer(row));
}

bool is_text(const Column& c) {
  return c.type() == ColumnType::kText || c.type() == ColumnType::kWord;
}

}  // namespace

std::string seconds_text(int64_t ns) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  const std::string nanos = std::to_string(size % kSecond);
  return (ns < 0 ? "-" : "") + std::to_string(size / kSecond) + "." +
         std::string(9 - nanos.size(), '0') + nanos;
}

std::string double_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

void Column::reserve(size_t rows) {
  switch (type_) {
    case ColumnType::kInt64:
    case ColumnType::kNanoseconds: return integers_.reserve(rows);
    case ColumnType::kDouble: return reals_.reserve(rows);
    case ColumnType::kText: return ends_.reserve(rows + 1);
    case ColumnType::kWord: return words_.reserve(rows);
  }
}

void Column::grow(bool valid) {
  if (!valid && nulls_++ == 0) valid_.assign(size_ / 8 + 1, 0xff);
  if (nulls_ != 0) {
    if (size_ / 8 >= valid_.size()) valid_.push_back(0xff);
    if (!valid) valid_[size_ / 8] &= static_cast<uint8_t>(~(1U << (size_ % 8)));
  }
  ++size_;
}

void Column::add(double value) {
  if (!std::isfinite(value)) return add_null();
  reals_.push_back(value);
  grow(true);
}

void Column::add(Str value) {
  if (type_ == ColumnType::kWord) {
    const auto next = static_cast<int32_t>(by_word_.size());
    const auto [at, fresh] = by_word_.try_emplace(std::string(value), next);
    if (fresh) {
      if (ends_.empty()) ends_.push_back(0);
      bytes_ += value;
      ends_.push_back(static_cast<int64_t>(bytes_.size()));
    }
    words_.push_back(at->second);
  } else {
    bytes_ += value;
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
  }
  grow(true);
}

void Column::add_null() {
  switch (type_) {
    case ColumnType::kInt64:
    case ColumnType::kNanoseconds: integers_.push_back(0); break;
    case ColumnType::kDouble: reals_.push_back(0); break;
    case ColumnType::kText: ends_.push_back(static_cast<int64_t>(bytes_.size())); break;
    case ColumnType::kWord:
      add(Str());
      --size_;
      break;
  }
  grow(false);
}

const Column* Table::find(Str column) const {
  for (const Column& c : columns)
    if (c.name() == column) return &c;
  return nullptr;
}

Result<void> Table::write_csv(const WriteText& write) const {
  Writer out(write);
  for (const Column& c : columns) {
    if (&c != &columns.front()) out.text() += ',';
    out.text() += csv_field(c.name());
  }
  out.text() += '\n';
  for (size_t row = 0; row < row_count(); ++row) {
    for (const Column& c : columns) {
      if (&c != &columns.front()) out.text() += ',';
      if (c.null(row)) continue;
      out.text() += is_text(c) ? csv_field(c.text(row)) : number_text(c, row);
    }
    out.text() += '\n';
    LIBSCHED_TRY(out.row_done());
  }
  return out.flush();
}

Result<void> Table::write_json(const WriteText& write) const {
  std::vector<std::string> keys;
  for (const Column& c : columns)
    keys.push_back((keys.empty() ? "{" : ",") + json_quote(c.name()) + ":");
  Writer out(write);
  out.text() += '[';
  for (size_t row = 0; row < row_count(); ++row) {
    if (row != 0) out.text() += ",\n";
    for (size_t i = 0; i < columns.size(); ++i) {
      const Column& c = columns[i];
      out.text() += keys[i];
      out.text() += c.null(row)  ? "null"
                    : is_text(c) ? json_quote(c.text(row))
                                 : number_text(c, row);
    }
    out.text() += '}';
    LIBSCHED_TRY(out.row_done());
  }
  out.text() += ']';
  return out.flush();
}

}  // namespace libsched
