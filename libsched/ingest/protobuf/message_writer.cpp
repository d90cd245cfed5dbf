// JSON as Go's types write it: what Go omits when it is empty is omitted here, too, although
// protobuf has it.
#include "libsched/ingest/protobuf/message_writer.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "libsched/ingest/json_pieces.hpp"
#include "libsched/ingest/json_place.hpp"

namespace libsched {
namespace {

bool is_number(MessageForm form) {
  return form == MessageForm::kBool || form == MessageForm::kInt32 || form == MessageForm::kInt64;
}

// Tells whether JSON has no such value.
bool is_omitted(const MessageField& f, const WireField& wire) {
  if ((f.flags & MessageField::kOmitEmpty) == 0) return false;
  if (wire.type == WireField::kVarint) return is_number(f.form) && wire.varint == 0;
  return f.form == MessageForm::kString && wire.type == WireField::kBytes && wire.bytes.empty();
}

void append_number(std::string& out, int64_t n) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, n).ptr);
}

}  // namespace

bool MessageWriter::fail(const std::string& message, Rc rc) {
  std::string path;
  for (const Step& step : steps_) {
    path = step.key ? path + path_key(step.name) : join_path(path, step.name);
    if (step.index != kNoIndex) path += "[" + std::to_string(step.index) + "]";
  }
  error_ = {rc, "protobuf: " + message, std::move(path)};
  return false;
}

bool MessageWriter::too_large() {
  return fail("the object is larger than " + std::to_string(limits_.max_bytes) + " bytes",
              Rc::kLimit);
}

bool MessageWriter::object(Str bytes, const TypeName& type, bool list) {
  out_.reserve(std::min(limits_.max_bytes, 2 * bytes.size() + 256));
  out_ = R"({"apiVersion":)";
  if (!string(type.api_version)) return false;
  out_ += R"(,"kind":)";
  if (!string(type.kind)) return false;
  bool first = false;
  if (list) {
    if (!items(bytes, item_type(type))) return false;
  } else if (const MessageKind* kind = find_message_kind(type.api_version, type.kind)) {
    if (!message(bytes, kind->message, &first)) return false;
  }
  out_ += '}';
  return limited();
}

// A list has its metadata in field 1 and its objects in field 2.
bool MessageWriter::items(Str bytes, const TypeName& item) {
  const MessageKind* kind = find_message_kind(item.api_version, item.kind);
  out_ += R"(,"items":[)";
  steps_.push_back({"items", 0, false});
  bool none = true;
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number != 2) continue;
    if (limits_.interrupt()) {
      error_ = interrupted();
      return false;
    }
    if (!bytes_of(f)) return false;
    if (!none) out_ += ',';
    none = false;
    out_ += '{';
    bool first = true;
    if (kind != nullptr && !message(f.bytes, kind->message, &first)) return false;
    out_ += '}';
    if (!limited()) return false;
    ++steps_.back().index;
  }
  steps_.pop_back();
  if (!wire.problem().empty()) return fail(wire.problem());
  out_ += ']';
  return true;
}

// Writes the fields of a message without its braces. `first`: no field is before them.
bool MessageWriter::message(Str bytes, uint16_t index, bool* first) {
  if (++depth_ > limits_.max_depth) {
    return fail("more than " + std::to_string(limits_.max_depth) + " levels of nesting",
                Rc::kLimit);
  }
  const std::span<const MessageField> fields = message_fields(index);
  size_t at = 0;  // fields come in their order mostly
  const MessageField* open = nullptr;
  uint64_t seen = 0;
  const auto close = [&] {
    if (open == nullptr) return;
    out_ += (open->flags & MessageField::kMap) != 0 ? '}' : ']';
    open = nullptr;
    steps_.pop_back();
  };
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (at == fields.size() || fields[at].number > f.number) at = 0;
    while (at < fields.size() && fields[at].number < f.number) ++at;
    if (at == fields.size() || fields[at].number != f.number) continue;
    const MessageField& known = fields[at];
    if (known.form == MessageForm::kSkip) continue;
    constexpr uint8_t kMany = MessageField::kRepeated | MessageField::kMap;
    const bool many = (known.flags & kMany) != 0;
    if (open != &known) {
      close();
      steps_.push_back({known.name, kNoIndex, false});
      const uint64_t bit = uint64_t{1} << (at & 63);
      if ((seen & bit) != 0) return fail("the field is there twice");
      seen |= bit;
      if (many) {
        key(known.name, first);
        out_ += (known.flags & MessageField::kMap) != 0 ? '{' : '[';
        open = &known;
      }
    }
    if (many ? !element(known, f) : !field(known, f, first)) return false;
    if (!many) steps_.pop_back();
    if (!limited()) return false;
  }
  if (!wire.problem().empty()) {
    if (open != nullptr) steps_.pop_back();
    return fail(wire.problem());
  }
  close();
  --depth_;
  return true;
}

void MessageWriter::key(Str name, bool* first) {
  out_.append(*first ? "\"" : ",\"", *first ? 1 : 2).append(name).append("\":", 2);
  *first = false;
}

bool MessageWriter::field(const MessageField& f, const WireField& wire, bool* first) {
  if ((f.flags & MessageField::kInline) != 0) {
    const Step step = steps_.back();  // the place of its fields is the parent's
    steps_.pop_back();
    if (!bytes_of(wire) || !message(wire.bytes, f.message, first)) return false;
    steps_.push_back(step);
    return true;
  }
  if (is_omitted(f, wire)) return true;
  key(f.name, first);
  return value(f, wire);
}

// Of a list or map that is open.
bool MessageWriter::element(const MessageField& f, const WireField& wire) {
  if ((f.flags & MessageField::kMap) != 0) return bytes_of(wire) && map_entry(f, wire.bytes);
  Step& step = steps_.back();
  step.index = step.index == kNoIndex ? 0 : step.index + 1;
  if (is_number(f.form) && wire.type == WireField::kBytes) return packed(f, wire.bytes);
  if (out_.back() != '[') out_ += ',';
  return value(f, wire);
}

bool MessageWriter::packed(const MessageField& f, Str bytes) {
  WireReader numbers(bytes);
  WireField one;
  while (!numbers.at_end()) {
    if (!numbers.varint(one.varint)) return fail(numbers.problem());
    if (out_.back() != '[') out_ += ',';
    if (!value(f, one)) return false;
  }
  return true;
}

bool MessageWriter::map_entry(const MessageField& f, Str bytes) {
  Str name;
  WireField content;
  content.type = is_number(f.form) ? WireField::kVarint : WireField::kBytes;
  WireReader wire(bytes);
  for (WireField part; wire.next(part);) {
    if (part.number == 1) {
      if (!bytes_of(part)) return false;
      name = part.bytes;
    } else if (part.number == 2) {
      content = part;
    }
  }
  if (!wire.problem().empty()) return fail(wire.problem());
  if (out_.back() != '{') out_ += ',';
  steps_.push_back({name, kNoIndex, true});
  if (!string(name)) return false;
  out_ += ':';
  if (!value(f, content)) return false;
  steps_.pop_back();
  return true;
}

bool MessageWriter::value(const MessageField& f, const WireField& wire) {
  switch (f.form) {
    case MessageForm::kBool:
      if (!number_of(wire)) return false;
      out_ += wire.varint != 0 ? "true" : "false";
      return true;
    case MessageForm::kInt32:
    case MessageForm::kInt64:
      if (!number_of(wire)) return false;
      append_number(out_, static_cast<int64_t>(wire.varint));
      return true;
    default: break;
  }
  if (!bytes_of(wire)) return false;
  switch (f.form) {
    case MessageForm::kString: return string(wire.bytes);
    case MessageForm::kQuantity: return quantity(wire.bytes);
    case MessageForm::kTime: return time(wire.bytes, /*micro=*/false);
    case MessageForm::kMicroTime: return time(wire.bytes, /*micro=*/true);
    case MessageForm::kIntOrString: return int_or_string(wire.bytes);
    case MessageForm::kJson: return json(wire.bytes);
    default: break;
  }
  out_ += '{';
  bool first = true;
  if (!message(wire.bytes, f.message, &first)) return false;
  out_ += '}';
  return true;
}

bool MessageWriter::string(Str text) {
  const size_t begin = plain_start(text);
  out_ += '"';
  size_t plain = 0;
  bool ascii = true;
  for (size_t i = begin; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') continue;
    if (c >= 0x80) {
      ascii = false;
      continue;
    }
    out_.append(text.substr(plain, i - plain));
    plain = i + 1;
    char escape[8];
    if (c >= 0x20) {
      out_ += '\\';
      out_ += text[i];
    } else {
      out_.append(escape, static_cast<size_t>(std::snprintf(escape, sizeof escape, "\\u%04x", c)));
    }
  }
  if (!ascii && !simdjson::validate_utf8(text.data(), text.size())) {
    return fail("the text is not UTF-8");
  }
  out_.append(text.substr(plain));
  out_ += '"';
  return true;
}

bool MessageWriter::quantity(Str bytes) {
  Str text = "0";
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number != 1) continue;
    if (!bytes_of(f)) return false;
    text = f.bytes;
  }
  return wire.problem().empty() ? string(text) : fail(wire.problem());
}

bool MessageWriter::time(Str bytes, bool micro) {
  if (bytes.empty()) {  // the zero time
    out_ += "null";
    return true;
  }
  int64_t seconds = 0, nanos = 0;
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number != 1 && f.number != 2) continue;
    if (!number_of(f)) return false;
    (f.number == 1 ? seconds : nanos) = static_cast<int64_t>(f.varint);
  }
  if (!wire.problem().empty()) return fail(wire.problem());
  constexpr int64_t kYear0 = -62167219200, kYear10000 = 253402300800;
  if (seconds < kYear0 || seconds >= kYear10000 || nanos < 0 || nanos >= 1000000000) {
    return fail("the time is not within the years 0 to 9999");
  }
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const auto of_day = static_cast<int>((at - day).count());
  append_date_time(out_, static_cast<int>(date.year()),
                   static_cast<int>(static_cast<unsigned>(date.month())),
                   static_cast<int>(static_cast<unsigned>(date.day())), of_day);
  if (micro) {
    char text[16];
    const int n = std::snprintf(text, sizeof text, ".%06d", static_cast<int>(nanos / 1000));
    out_.append(text, static_cast<size_t>(n));
  }
  out_ += "Z\"";
  return true;
}

bool MessageWriter::int_or_string(Str bytes) {
  int64_t form = 0, number = 0;
  Str text;
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number < 1 || f.number > 3) continue;
    if (f.number == 3 ? !bytes_of(f) : !number_of(f)) return false;
    if (f.number == 1) form = static_cast<int64_t>(f.varint);
    if (f.number == 2) number = static_cast<int64_t>(f.varint);
    if (f.number == 3) text = f.bytes;
  }
  if (!wire.problem().empty()) return fail(wire.problem());
  if (form == 1) return string(text);
  if (form != 0) return fail("the value is neither a number nor a text");
  append_number(out_, number);
  return true;
}

// The text becomes a part of the document, so it has to be one whole value.
bool MessageWriter::json(Str bytes) {
  Str text;
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number != 1) continue;
    if (!bytes_of(f)) return false;
    text = f.bytes;
  }
  if (!wire.problem().empty()) return fail(wire.problem());
  if (text.empty()) {
    out_ += "null";
    return true;
  }
  simdjson::dom::parser parser;
  simdjson::dom::element ignored;
  if (parser.parse(simdjson::padded_string(text)).get(ignored) != simdjson::SUCCESS)
    return fail("the value is not JSON");
  out_ += text;
  return true;
}

}  // namespace libsched
