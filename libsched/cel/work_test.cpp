// The work of an evaluation: whatever function is called, with texts and lists as large as an
// expression can make them, it ends at the limit on cost or on work, and docs/cel.md says why.
#include <doctest/doctest.h>

#include <ctime>
#include <fstream>
#include <set>
#include <string>

#include "libsched/cel/cel.hpp"
#include "libsched/cel/lib/regex.hpp"
#include "libsched/cel/overloads.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::cel_work_test {

using namespace cel;

const std::string kStopped = "operation cancelled: actual cost limit exceeded";

Evaluation evaluated(const std::string& expression) {
  Options options;
  options.any_result = true;
  const auto program = compile(expression, options);
  REQUIRE_MESSAGE(program.ok(), program.error().message);
  Scratch scratch;
  return (*program)->evaluate({}, scratch);
}

// The body of an expression in which `name` is `init`, doubled so many times.
std::string doubled(const std::string& name, const std::string& init, int times,
                    const std::string& body) {
  std::string out = body;
  for (int i = times; i-- > 0;) {
    const std::string it = i + 1 == times ? name : name + std::to_string(i + 1);
    const std::string half = i == 0 ? init : name + std::to_string(i);
    out = "cel.bind(" + it + ", " + half + " + " + half + ", " + out + ")";
  }
  return out;
}

// An argument of the type that is large if it can be; "" if an expression cannot make one.
std::string argument(const std::string& type) {
  if (type == "string" || (type.size() == 3 && type[0] == '<')) return "s";
  if (type == "bytes") return "b";
  if (type == "int") return "1";
  if (type == "uint") return "1u";
  if (type == "double") return "1.5";
  if (type == "bool") return "true";
  if (type == "dyn") return "dyn(s)";
  if (type == "google.protobuf.Duration") return "duration('1h')";
  if (type == "google.protobuf.Timestamp") return "timestamp(1)";
  if (type == "kubernetes.Quantity") return "q";
  if (type == "kubernetes.Semver") return "v";
  if (type == "kubernetes.URL") return "u";
  if (type == "kubernetes.NamedFormat") return "format.uri()";
  if (type == "net.IP") return "ip('10.0.0.1')";
  if (type == "net.CIDR") return "cidr('10.0.0.0/8')";
  if (type == "list(string)") return "parts";
  if (type == "list(bytes)") return "[b, b]";
  if (type.starts_with("list(list")) return "[numbers, numbers]";
  if (type == "list(int)" || type == "list(dyn)" || type.starts_with("list(<")) return "numbers";
  if (type.starts_with("map(")) return "{s: s}";
  if (type.starts_with("optional_type(")) return "optional.of(s)";
  return "";
}

// A call of the overload; "" if an expression cannot make it.
std::string call_of(const Overload& o) {
  std::vector<std::string> args;
  for (const Type* type : o.args) {
    args.push_back(argument(type_string(type)));
    if (args.back().empty()) return "";
  }
  const std::string name(o.function->name);
  if (name == "_[_]") return args[0] + "[" + args[1] + "]";
  if (name == "@in") return args[0] + " in " + args[1];
  if (name.size() > 4 && name.front() == '_' && name.back() == '_' && args.size() == 2 &&
      name[1] != '?' && name[1] != '_')
    return args[0] + " " + name.substr(1, name.size() - 2) + " " + args[1];
  if (name == "_+_" || name == "_<_" || name == "_>_") return args[0] + name[1] + args[1];
  if (name.find_first_of("_@") != std::string::npos) return "";
  std::string list;
  for (size_t i = o.is_member ? 1 : 0; i < args.size(); ++i)
    list.append(list.empty() ? "" : ", ").append(args[i]);
  return (o.is_member ? args[0] + "." : "") + name + "(" + list + ")";
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Repeats a call until a limit ends it, whatever it returns.
std::string repeated(const std::string& call) {
  const std::string body =
      "cel.bind(b, bytes(s), cel.bind(q, quantity('1.5Gi'), cel.bind(v, semver('1.2.3-' + s), "
      "cel.bind(u, url('http://a/' + s), cel.bind(numbers, lists.range(10000), cel.bind(parts, "
      "['a', s, 'b', s], lists.range(100000).all(i, optional.of(" +
      call + ").hasValue() || true)))))))";
  return doubled("s", "'aaaaaaaa'", 15, body);
}

// The budget of an evaluation is about 12 ms; what evades it takes minutes.
TEST_CASE("no function works for long, whatever it costs") {
  const double most = sanitized() ? 30 : 1.5;
  std::set<std::string> calls;
  for (const Overload& o : all_overloads())
    if (std::string call = call_of(o); !call.empty()) calls.insert(std::move(call));
  for (const char* more : {"s.findAll('a.*z|a')",
                           "s.findAll('')",
                           "s.findAll('a')",
                           "s.find('a.*z|b')",
                           "s.matches('[ab]*a[ab]{900}z')",
                           "s.matches('(a{1,30}){1,30}' + string(i))",
                           "{}[s]",
                           "{s: 1}[s]",
                           "int(s)",
                           "[s, 1].join()",
                           "'%s%d'.format([[s], s])",
                           "'%s'.format([{s: s}])",
                           "s == s + 'a'",
                           "s < s + 'a'",
                           "u == u",
                           "v == v",
                           "s in [s, s + 'a']",
                           "numbers.map(x, [x]).flatten()",
                           "numbers.sortBy(x, -x)",
                           "[s, s].sort()",
                           "timestamp(1).getHours(s)",
                           "timestamp(s)",
                           "duration(s)",
                           "dyn(s).x",
                           "[1][s]"})
    calls.insert(more);
  size_t compiled = 0;
  for (const std::string& call : calls) {
    CAPTURE(call);
    Options options;
    options.any_result = true;
    const auto program = compile(repeated(call), options);
    if (!program.ok()) continue;
    ++compiled;
    Scratch scratch;
    const double before = seconds();
    const Evaluation e = (*program)->evaluate({}, scratch);
    CHECK(seconds() - before < most);
    CHECK_FALSE((!e.ok && e.error.empty()));
  }
  CHECK(compiled > 150);
}

TEST_CASE("findAll looks at a text as often as it pays for") {
  const auto looked = [](const char* pattern, size_t size) {
    const auto re = Regex::compile(pattern);
    REQUIRE(re.ok());
    const std::string text(size, 'a');
    size_t bytes = 0;
    CHECK(re->find_all(text, -1, [&](size_t n) {
              bytes += n;
              return true;
            }).size() == size);
    return bytes;
  };
  // A match ends where no longer one is possible: that is near for the one, and the end for the
  // other.
  CHECK(looked("a|b", 2000) <= 2000 * 12);
  CHECK(looked("a.*z|a", 2000) >= 2000 * 999);
  const auto re = Regex::compile("a.*z|a");
  CHECK(re->find_all(std::string(100, 'a'), -1, [left = 10](size_t) mutable {
            return --left > 0;
          }).size() == 10);
}

TEST_CASE("findAll stops where upstream would go on for minutes, and nowhere else") {
  CHECK(evaluated(doubled("s", "'a'", 16, "s.findAll('a.*z|a').size()")).error == kStopped);
  CHECK(evaluated(doubled("s", "'a'", 10, "s.findAll('a.*z|a').size()")).value == "int(1024)");
  CHECK(evaluated(doubled("s", "'a'", 16, "s.findAll('a|b').size()")).value == "int(65536)");
  CHECK(evaluated(doubled("s", "'a'", 16, "s.findAll('a+').size()")).value == "int(1)");
}

TEST_CASE("errors that || absorbs take no memory without bound") {
  CHECK(evaluated(doubled("s", "'aaaaaaaa'", 13, "lists.range(100000).all(i, {}[s] == 1 || true)"))
            .error == kStopped);
  CHECK(evaluated("lists.range(50000).all(i, {}[i] == 1 || true)").value == "true");
}

// The table of docs/cel.md has one row for each group of functions, named in its first column.
TEST_CASE("docs/cel.md says of every function why its work is bounded") {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/docs/cel.md");
  REQUIRE(file);
  std::set<std::string> told, there;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(2, line.find(" | ", 2) - 2);
    for (size_t at = first.find('`'); at != std::string::npos;) {
      const size_t end = first.find('`', at + 1);
      CHECK_MESSAGE(told.insert(first.substr(at + 1, end - at - 1)).second, first);
      at = first.find('`', end + 1);
    }
  }
  for (const Overload& o : all_overloads()) there.emplace(o.function->name);
  for (const std::string& name : there) CHECK_MESSAGE(told.contains(name), name);
  for (const std::string& name : told) CHECK_MESSAGE(there.contains(name), name);
}

}  // namespace libsched::cel_work_test
