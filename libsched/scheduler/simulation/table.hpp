// Table: named columns of equal length, the form of all results, and its texts as CSV and JSON.
//
// A table is filled by one thread and never changes afterwards; any thread may read it. arrow.hpp
// lends the columns to other libraries without copying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// The numbers are part of the C API.
enum class ColumnType : uint8_t {
  kInt64 = 0,
  kDouble = 1,
  kNanoseconds = 2,  // an int64: a duration, or a time since the beginning
  kText = 3,
  kWord = 4,  // a text of which there are few different ones
};

class Column {
 public:
  Column(std::string name, ColumnType type) : name_(std::move(name)), type_(type) {
    if (type == ColumnType::kText) ends_.push_back(0);
  }

  const std::string& name() const { return name_; }
  ColumnType type() const { return type_; }
  size_t size() const { return size_; }
  size_t null_count() const { return nulls_; }
  bool null(size_t row) const {
    return nulls_ != 0 && row / 8 < valid_.size() && (valid_[row / 8] >> (row % 8) & 1) == 0;
  }

  // Of kInt64 and kNanoseconds; of kDouble; of kText and kWord. Null: 0, "".
  int64_t integer(size_t row) const { return integers_[row]; }
  double real(size_t row) const { return reals_[row]; }
  Str text(size_t row) const {
    if (type_ == ColumnType::kWord) return word_text(static_cast<size_t>(words_[row]));
    const auto begin = static_cast<size_t>(ends_[row]);
    return {bytes_.data() + begin, static_cast<size_t>(ends_[row + 1]) - begin};
  }

  void add(int64_t value) {
    integers_.push_back(value);
    grow(true);
  }
  void add(double value);  // what is not finite is null
  void add(Str value);
  void add_null();
  void add(std::optional<int64_t> value) {
    if (value) return add(*value);
    add_null();
  }
  void reserve(size_t rows);

  // As Arrow lays them out. A bit of valid_bits() is set if the value is not null; empty: none is.
  const std::vector<uint8_t>& valid_bits() const { return valid_; }
  const std::vector<int64_t>& integers() const { return integers_; }
  const std::vector<double>& reals() const { return reals_; }
  const std::vector<int32_t>& words() const { return words_; }  // indexes of kWord
  // The texts of kText, or the different words of kWord: where each ends, after a 0, and all bytes.
  const std::vector<int64_t>& ends() const { return ends_; }
  const std::string& bytes() const { return bytes_; }

 private:
  Str word_text(size_t word) const {
    const auto begin = static_cast<size_t>(ends_[word]);
    return {bytes_.data() + begin, static_cast<size_t>(ends_[word + 1]) - begin};
  }
  void grow(bool valid);

  std::string name_;
  ColumnType type_;
  size_t size_ = 0, nulls_ = 0;
  std::vector<uint8_t> valid_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<int32_t> words_;
  std::vector<int64_t> ends_;
  std::string bytes_;
  std::unordered_map<std::string, int32_t> by_word_;
};

// Receives a text in pieces; returns whether to continue.
using WriteText = std::function<bool(Str)>;

class Table final : public RefCounted {
 public:
  explicit Table(std::string name) : name(std::move(name)) {}

  size_t row_count() const { return columns.empty() ? 0 : columns.front().size(); }
  const Column* find(Str column) const;

  // The header and the rows as RFC 4180 has them. Nanoseconds are seconds with nine decimals, null
  // is an empty field. Errors: kCancelled (`write` returned false).
  Result<void> write_csv(const WriteText& write) const;
  // An array of objects; nanoseconds as in CSV. Errors: as write_csv().
  Result<void> write_json(const WriteText& write) const;

  std::string name;
  std::vector<Column> columns;
};
using TableRef = Ref<const Table>;

// "12.500000000": seconds, exactly.
std::string seconds_text(int64_t ns);
// The shortest decimal that reads as the same finite number.
std::string double_text(double value);

}  // namespace libsched
