// Reads the devices of a case as upstream's decoder does, and writes what its program says.
#include "expressions.hpp"

#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/config/selector_options.hpp"

namespace libsched::cycles {
namespace {

using Json = nlohmann::json;

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// A device and what it points to.
class Reader {
 public:
  explicit Reader(const Json& document) {
    device_.driver = keep(document.value("driver", ""));
    if (const Json* const many = find(document, "allowMultipleAllocations"))
      device_.allow_multiple_allocations = many->get<bool>();
    if (const Json* const all = find(document, "attributes"))
      for (const auto& [name, value] : all->items()) attributes_.push_back(attribute(name, value));
    if (const Json* const all = find(document, "capacity"))
      for (const auto& [name, value] : all->items()) {
        cel::Capacity c;
        c.name = keep(name);
        const Json* const written = find(value, "value");
        c.written = keep(written == nullptr     ? std::string("0")
                         : written->is_string() ? written->get<std::string>()
                                                : written->dump());
        const auto quantity = Quantity::parse_trimmed(c.written);
        if (!quantity.ok()) throw std::runtime_error(quantity.error().text());
        c.value = *quantity;
        capacity_.push_back(c);
      }
    device_.attributes = attributes_;
    device_.capacity = capacity_;
  }

  const cel::Device& device() const { return device_; }

 private:
  Str keep(const std::string& s) { return texts_.emplace_back(s); }

  cel::Attribute attribute(const std::string& name, const Json& value) {
    using Kind = cel::Attribute::Kind;
    cel::Attribute out;
    out.name = keep(name);
    const auto numbers = [&](const Json& list, Kind kind) {
      auto& all = numbers_.emplace_back();
      for (const Json& x : list) all.push_back(x.is_boolean() ? x.get<bool>() : x.get<int64_t>());
      out.kind = kind;
      out.numbers = all;
    };
    const auto strings = [&](const Json& list, Kind kind) {
      auto& all = lists_.emplace_back();
      for (const Json& x : list) all.push_back(keep(x.get<std::string>()));
      out.kind = kind;
      out.texts = all;
    };
    if (const Json* const v = find(value, "ints")) {
      numbers(*v, Kind::kInts);
    } else if (const Json* const v = find(value, "bools")) {
      numbers(*v, Kind::kBools);
    } else if (const Json* const v = find(value, "strings")) {
      strings(*v, Kind::kStrings);
    } else if (const Json* const v = find(value, "versions")) {
      strings(*v, Kind::kVersions);
    } else if (const Json* const v = find(value, "int")) {
      out.kind = Kind::kInt;
      out.number = v->get<int64_t>();
    } else if (const Json* const v = find(value, "bool")) {
      out.kind = Kind::kBool;
      out.number = v->get<bool>() ? 1 : 0;
    } else if (const Json* const v = find(value, "string")) {
      out.kind = Kind::kString;
      out.text = keep(v->get<std::string>());
    } else if (const Json* const v = find(value, "version")) {
      out.kind = Kind::kVersion;
      out.text = keep(v->get<std::string>());
    }
    return out;
  }

  cel::Device device_;
  std::vector<cel::Attribute> attributes_;
  std::vector<cel::Capacity> capacity_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<Str>> lists_;
};

}  // namespace

Json run_expression(const Json& c) {
  Json out = Json::object();
  if (const Json* const name = find(c, "name")) out["name"] = *name;
  const Result<Release> release = parse_release(c.value("release", ""));
  if (!release.ok()) throw std::runtime_error("release: " + release.error().text());
  cel::Options options = selector_options(behaviours_of(*release), c.value("listTypes", false));
  const bool any = c.value("any", false);
  options.any_result = any;
  if (const Json* const limit = find(c, "costLimit")) options.cost_limit = limit->get<uint64_t>();
  const auto program = cel::compile(c.value("expression", ""), options);
  if (!program.ok()) {
    out["compileError"] = program.error().message;
    return out;
  }
  out["type"] = (*program)->type();
  cel::Scratch scratch;
  const Json* const devices = find(c, "devices");
  for (const Json& document : devices == nullptr ? Json::array() : *devices) {
    const Reader reader(document);
    Json answer = Json::object();
    if (any) {
      const cel::Evaluation e = (*program)->evaluate(reader.device(), scratch);
      answer["cost"] = e.cost;
      (e.ok ? answer["value"] : answer["error"]) = e.ok ? e.value : e.error;
    } else {
      const cel::MatchResult m = (*program)->match(reader.device(), scratch);
      answer["cost"] = m.cost;
      if (m.match == cel::Match::kError)
        answer["error"] = m.error;
      else
        answer["matches"] = m.match == cel::Match::kYes;
    }
    out["devices"].push_back(std::move(answer));
  }
  return out;
}

}  // namespace libsched::cycles
