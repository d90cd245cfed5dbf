// Splits a stream into documents, runs libyaml over each and words its errors.
//
// The text is never copied: documents are views of it.
#include "libsched/ingest/yaml.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include "libsched/ingest/json_place.hpp"
#include "libsched/ingest/yaml_document.hpp"
#include "libsched/ingest/yaml_events.hpp"

namespace libsched {
namespace {

constexpr const char* kMoreContent =
    "more content after the end of the document; separate documents with a line of ---";

struct Chunk {
  Str text;
  YamlPlace start;
};

Str trim(Str s) {
  constexpr Str kSpaces = " \t\n\v\f\r";
  const size_t begin = s.find_first_not_of(kSpaces);
  if (begin == Str::npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpaces) - begin + 1);
}

// Documents end at lines that start with `---`. Such a line belongs to the document it opens only
// if it is the first line.
std::optional<Error> split(Str text, YamlPlace start, std::vector<Chunk>* chunks) {
  size_t begin = 0, line = start.line;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t newline = text.find('\n', at);
    const size_t next = newline == Str::npos ? text.size() : newline + 1;
    if (text.compare(at, 3, "---") == 0) {
      const Str rest = trim(text.substr(at + 3, next - at - 3));
      if (!rest.empty() && rest[0] != '#') {
        const size_t before = chunks->size() + (at > begin);
        const std::string path = before == 0 ? "" : "documents[" + std::to_string(before) + "]";
        return invalid(path, "invalid Yaml document separator: " + std::string(rest.substr(0, 80)) +
                                 " (line " + std::to_string(line + 1) + ")");
      }
      if (at > begin) {
        chunks->push_back({text.substr(begin, at - begin), start});
        begin = next;
        start = {line + 1, 0};
      }
    }
    at = next;
  }
  if (begin < text.size()) chunks->push_back({text.substr(begin), start});
  return std::nullopt;
}

YamlPlace place_of_mark(const yaml_mark_t& mark) { return {mark.line, mark.column}; }

// Whether the line of the place is indented with a tab.
bool has_tab_indentation(Str text, size_t line) {
  size_t at = 0;
  for (; line > 0; --line) {
    at = text.find('\n', at);
    if (at == Str::npos) return false;
    ++at;
  }
  const size_t first = text.find_first_not_of(' ', at);
  return first != Str::npos && text[first] == '\t';
}

void syntax_error(const yaml_parser_t& parser, const Chunk& chunk, bool ended,
                  YamlDocument* document) {
  std::string message = parser.problem != nullptr ? parser.problem : "not YAML";
  YamlPlace place = place_of_mark(parser.problem_mark);
  if (parser.error == YAML_READER_ERROR) {
    place = place_after(chunk.text, parser.problem_offset);
    if (parser.problem_value == 0) message = "NUL bytes are not allowed";
    if (message.find("UTF-8") != std::string::npos) message = "invalid UTF-8: " + message;
  } else if (ended) {
    return void(document->fail(Rc::kInvalid, kMoreContent, place));
  } else if (has_tab_indentation(chunk.text, place.line)) {
    message += "; the line is indented with a tab, YAML takes spaces only";
  }
  if (parser.context != nullptr && parser.error != YAML_READER_ERROR) {
    message += std::string(", ") + parser.context;
    if (parser.context_mark.line != parser.problem_mark.line) {
      message += " of line " + std::to_string(chunk.start.line + parser.context_mark.line + 1);
    }
  }
  document->fail(Rc::kInvalid, message, place);
}

const char* name(const yaml_char_t* s) { return reinterpret_cast<const char*>(s); }

// An event takes about 100 ns.
constexpr size_t kEventsBetweenLooks = 1024;

// Appends the document's JSON, or nothing for an empty document. Sets `again` if the document must
// be read once more with another colon replaced.
std::optional<Error> convert_once(const Chunk& chunk, const YamlLimits& limits, size_t* expanded,
                                  YamlColons* colons, bool* again, std::string* out) {
  YamlDocument document(limits, chunk.start, expanded, out);
  YamlEvents reader(*colons);
  size_t events = 0;
  for (bool ended = false;;) {
    if (events++ % kEventsBetweenLooks == 0 && limits.interrupt()) return interrupted();
    if (!reader.next()) {
      *again = reader.again();
      syntax_error(reader.parser(), chunk, ended, &document);
      return document.error();
    }
    const yaml_event_t& e = reader.event();
    const YamlPlace place = place_of_mark(e.start_mark);
    bool ok = true;
    switch (e.type) {
      case YAML_SCALAR_EVENT: {
        const auto& s = e.data.scalar;
        ok = document.scalar(reader.scalar_text(), yaml_view(s.tag), s.plain_implicit != 0,
                             name(s.anchor), place);
        break;
      }
      case YAML_ALIAS_EVENT: ok = document.alias(yaml_view(e.data.alias.anchor), place); break;
      case YAML_MAPPING_START_EVENT:
        ok = document.begin(true, name(e.data.mapping_start.anchor), place);
        break;
      case YAML_SEQUENCE_START_EVENT:
        ok = document.begin(false, name(e.data.sequence_start.anchor), place);
        break;
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT: ok = document.end(place); break;
      case YAML_DOCUMENT_START_EVENT:
        if (ended) {
          ok = document.fail(Rc::kInvalid, kMoreContent, place);
        }
        break;
      case YAML_DOCUMENT_END_EVENT: ended = true; break;
      case YAML_STREAM_END_EVENT: return std::nullopt;
      default: break;
    }
    if (!ok) return document.error();
  }
}

std::optional<Error> convert(const Chunk& chunk, const YamlLimits& limits, size_t* expanded,
                             std::string* out) {
  YamlColons colons(chunk.text);
  const size_t expanded_before = *expanded;
  for (;;) {
    bool again = false;
    std::optional<Error> error = convert_once(chunk, limits, expanded, &colons, &again, out);
    if (!again) return error;
    out->clear();
    *expanded = expanded_before;
  }
}

Result<std::vector<std::string>> convert_all(Str text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error{Rc::kLimit, "the text has " + std::to_string(text.size()) +
                                 " bytes, more than the limit of " +
                                 std::to_string(limits.max_bytes)};
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return invalid("", "UTF-16 text; UTF-8 is expected");
  }
  std::vector<Chunk> chunks;
  if (auto error = split(text, limits.start, &chunks)) return std::move(*error);
  std::vector<std::string> documents;
  size_t expanded = 0;
  for (const Chunk& chunk : chunks) {
    std::string json;
    json.reserve(chunk.text.size() / 2);
    if (auto error = convert(chunk, limits, &expanded, &json)) {
      if (chunks.size() > 1 && error->rc != Rc::kCancelled) {
        error->path = join_path("documents[" + std::to_string(documents.size()) + "]", error->path);
      }
      return std::move(*error);
    }
    if (!json.empty() && json != "null") documents.push_back(std::move(json));
  }
  return documents;
}

}  // namespace

YamlPlace place_after(Str text, size_t size) {
  const Str before = text.substr(0, size);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          before.size() - line_begin};
}

Result<std::vector<std::string>> yaml_to_json(Str text, const YamlLimits& limits) {
  try {
    return convert_all(text, limits);
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory while reading YAML"};
  } catch (const std::exception& e) {
    return Error{Rc::kInternal, std::string("while reading YAML: ") + e.what()};
  }
}

}  // namespace libsched
