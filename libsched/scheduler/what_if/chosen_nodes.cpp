// See chosen_nodes.hpp.
#include "libsched/scheduler/what_if/chosen_nodes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/objects/selector_text.hpp"

namespace libsched {
namespace {

// Calls f(node) for each node.
template <typename F>
void for_each_node(const View& view, F&& f) {
  for (uint32_t r = 0; r < view.row_count(); ++r)
    if (const Node* node = view.node(r)) f(*node);
}

// The selector in a text, unless it is a node's name. No name has these characters.
std::optional<Str> selector_in(Str text) {
  if (text.starts_with("-l"))
    return text.substr(std::min(text.find_first_not_of(' ', 2), text.size()));
  return text.find_first_of("=!<>(),/ ") == Str::npos ? std::nullopt : std::optional<Str>(text);
}

Error no_such_node(const View& view, Str name) {
  NearName near(name);
  for_each_node(view, [&](const Node& node) { near.offer(node.meta.name); });
  return {Rc::kNotFound, "there is no node " + go_quote(name) + near.hint()};
}

Error none_matches(const View& view, Str selector) {
  NearName near(selector);
  std::set<std::string> seen;
  for_each_node(view, [&](const Node& node) {
    for (const Label& label : node.meta.labels) {
      const auto [pair, added] =
          seen.insert(std::string(label.key) + "=" + std::string(label.value));
      if (added) near.offer(*pair);
    }
  });
  std::string hint = near.hint();
  // People leave out the prefix of a key.
  const auto longer = std::ranges::find_if(
      seen, [&](Str pair) { return pair.ends_with("/" + std::string(selector)); });
  if (longer != seen.end()) hint = "; did you mean " + go_quote(*longer) + "?";
  return {Rc::kNotFound, "no node has labels like " + go_quote(selector) + hint};
}

}  // namespace

Result<std::vector<std::string>> chosen_nodes(const View& view, Str text) {
  if (view.find_node(text) != kNoId) return std::vector<std::string>{std::string(text)};
  const std::optional<Str> selector = selector_in(text);
  if (!selector) return no_such_node(view, text);
  Arena arena;
  const Result<std::vector<Requirement>> wanted = parse_selector(*selector, arena);
  if (!wanted.ok()) {
    Error error = wanted.error();
    error.message = "the selector of nodes: " + error.message;
    return error;
  }
  std::vector<std::string> names;
  for_each_node(view, [&](const Node& node) {
    if (std::ranges::all_of(*wanted, [&](const Requirement& r) {
          return requirement_matches(r, node.meta.labels);
        }))
      names.emplace_back(node.meta.name);
  });
  if (names.empty()) return none_matches(view, *selector);
  std::ranges::sort(names);
  return names;
}

}  // namespace libsched
