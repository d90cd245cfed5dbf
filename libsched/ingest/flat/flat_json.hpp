// FlatJson: records of the flat form -> JSON text.
//
// A record may come in two parts, whose fields are merged; records and maps that both parts have
// are merged as well. Fields that the table lacks are skipped. Functions that return false have set
// error().
#pragma once

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/ingest/flat/flat_fields.hpp"

namespace libsched {

// The length, of four bytes, at an offset, which the bytes must hold.
size_t flat_length(Str bytes, size_t at);

class FlatJson {
 public:
  // Starts the document of an object of a kind; about `size` bytes are expected.
  void begin(Str kind, size_t size);
  // Writes the fields of the outermost record and ends the document.
  bool record(int type, Str content, Str identity);
  std::string take() { return std::move(out_); }
  Error error() const;

 private:
  struct Value {
    bool present = false;
    uint8_t number = 0;
    uint8_t wire = 0;
    Str bytes;
  };
  bool next(Str& rest, uint8_t last, Value& value);
  bool fields(int type, Str first, Str second);
  bool field(const FlatField& f, const Value& first, const Value& second);
  bool items(const FlatField& f, Str list);
  bool entries(Str map);
  bool taken(Str& rest, Str& text);
  void key(Str name);  // of a map
  void field_name(Str name);
  void text(Str s);
  bool time(int64_t seconds);
  bool fail(std::string message);

  std::string out_;
  std::vector<Str> path_;
  std::string message_;
};

}  // namespace libsched
