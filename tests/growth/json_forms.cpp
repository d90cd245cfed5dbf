// JSON as a whole: Lists, streams, indentation, escapes, white space, nesting.
#include "forms.hpp"

namespace growth {

std::string repeat(size_t bytes, const std::string& begin,
                   const std::function<std::string(size_t)>& item, const std::string& separator,
                   const std::string& end) {
  std::string out = begin;
  for (size_t i = 0; out.size() + end.size() < bytes; ++i) {
    if (i > 0) out += separator;
    out += item(i);
  }
  return out + end;
}

std::string pod(size_t i) {
  const std::string n = std::to_string(i);
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" + n +
         R"(","namespace":"shop","uid":"u-)" + n + R"(","labels":{"app":"web","n":")" + n +
         R"("},"annotations":{"note":"of no use"},"creationTimestamp":"2026-01-02T03:04:05Z"},)"
         R"("spec":{"nodeSelector":{"pool":"a"},"tolerations":[{"key":"k","operator":"Exists"}],)"
         R"("containers":[{"name":"c","image":"registry/web:1","env":[{"name":"A","value":"b"}],)"
         R"("resources":{"requests":{"cpu":"100m","memory":"1Gi"},"limits":{"memory":"1Gi"}}}]},)"
         R"("status":{"phase":"Pending","conditions":[]}})";
}

namespace {

const std::string kListBegin = R"({"apiVersion":"v1","kind":"List","items":[)";

std::string list(size_t bytes) { return repeat(bytes, kListBegin, pod, ",", "]}"); }

// In the form of json.MarshalIndent, which `kubectl get -o json` prints.
std::string indented(const std::string& compact, const std::string& indent,
                     const std::string& line_end) {
  std::string out, line = line_end;
  bool in_string = false;
  for (size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (in_string || c == '"') {
      if (c == '\\' && in_string)
        out += compact[i++];
      else if (c == '"')
        in_string = !in_string;
      out += compact[i];
    } else if (c == '{' || c == '[') {
      out += c;
      if (compact[i + 1] == '}' || compact[i + 1] == ']') continue;
      line += indent;
      out += line;
    } else if (c == '}' || c == ']') {
      if (compact[i - 1] != '{' && compact[i - 1] != '[') {
        line.resize(line.size() - indent.size());
        out += line;
      }
      out += c;
    } else if (c == ',') {
      out += c + line;
    } else if (c == ':') {
      out += ": ";
    } else {
      out += c;
    }
  }
  return out;
}

std::string indented_list(size_t bytes, const std::string& indent, const std::string& line_end) {
  std::string some = list(64 << 10);
  const size_t grown = indented(some, indent, line_end).size();
  return indented(list(bytes * some.size() / grown), indent, line_end);
}

std::string with_text(size_t bytes, const std::string& part) {
  return repeat(
      bytes, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"a":")",
      [&](size_t) { return part; }, "", R"("}}})");
}

}  // namespace

std::vector<Form> json_forms() {
  std::vector<Form> forms = {
      {"json: a List", list},
      {"json: an array", [](size_t n) { return repeat(n, "[", pod, ",", "]"); }},
      {"json: a stream", [](size_t n) { return repeat(n, "", pod, "\n", ""); }},
      {"json: a List that names its kind last",
       [](size_t n) {
         return repeat(n, R"({"items":[)", pod, ",", R"(],"kind":"List","apiVersion":"v1"})");
       }},
      {"json: a PodList without kinds",
       [](size_t n) {
         return repeat(
             n, R"({"items":[)",
             [](size_t i) { return R"({"metadata":{"name":"p)" + std::to_string(i) + R"("}})"; },
             ",", R"(],"kind":"PodList","apiVersion":"v1"})");
       }},
      {"json: Lists of one in a List",
       [](size_t n) {
         return repeat(
             n, kListBegin, [](size_t i) { return kListBegin + pod(i) + "]}"; }, ",", "]}");
       }},
      {"json: pods that name their kind last",
       [](size_t n) {
         return repeat(
             n, kListBegin,
             [](size_t i) {
               return R"({"metadata":{"name":"p)" + std::to_string(i) +
                      R"("},"spec":{"containers":[{"name":"c"}]},"kind":"Pod","apiVersion":"v1"})";
             },
             ",", "]}");
       }},
      {"json: kinds that nobody reads",
       [](size_t n) {
         return repeat(
             n, kListBegin,
             [](size_t i) {
               return R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s)" +
                      std::to_string(i) + R"("},"data":{"a":"b"}})";
             },
             ",", "]}");
       }},
      {"json: a long string", [](size_t n) { return with_text(n, "0123456789abcdef"); }},
      {"json: a long string of escapes", [](size_t n) { return with_text(n, R"(\u00e9\n\")"); }},
      {"json: a long string of UTF-8", [](size_t n) { return with_text(n, "\xc3\xa9"); }},
      {"json: one backslash at the end",
       [](size_t n) {
         return repeat(n, kListBegin, pod, ",",
                       R"(,{"kind":"Node","apiVersion":"v1","metadata":{"name":"\u006e"}}]})");
       }},
      {"json: a backslash in every object",
       [](size_t n) {
         return repeat(
             n, kListBegin,
             [](size_t i) {
               return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p)" +
                      std::to_string(i) + R"(","annotations":{"a\n":"b\t"}}})";
             },
             ",", "]}");
       }},
      {"json: an indented string of backslashes",
       [](size_t n) {
         return repeat(
             n, kListBegin + "\n",
             [](size_t i) {
               return R"({ "kind": "Pod", "apiVersion": "v1", "metadata": { "name": "p)" +
                      std::to_string(i) + R"(", "labels": { "a": "\u0062" } } })";
             },
             ",\n", "\n]}");
       }},
      {"json: white space", [](size_t n) { return pod(0) + std::string(n, ' '); }},
      {"json: empty lines", [](size_t n) { return pod(0) + std::string(n, '\n') + pod(1); }},
      {"json: white space within",
       [](size_t n) { return kListBegin + std::string(n, ' ') + pod(0) + "]}"; }},
      {"json: deep values that nobody reads",
       [](size_t n) {
         return repeat(
             n, kListBegin,
             [](size_t i) {
               return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p)" +
                      std::to_string(i) + R"("},"spec":{"dnsConfig":)" + std::string(150, '[') +
                      std::string(150, ']') + "}}";
             },
             ",", "]}");
       }},
      {"json: a wide value that nobody reads",
       [](size_t n) {
         return repeat(
             n, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"dnsConfig":[)",
             [](size_t) { return "[{}]"; }, ",", "]}}");
       }},
      {"json: a trailing comma, which makes it YAML",
       [](size_t n) { return repeat(n, kListBegin, pod, ",", ",]}"); }, true},
  };
  for (int spaces = 1; spaces <= 8; ++spaces) {
    forms.push_back({"json: a List indented by " + std::to_string(spaces), [spaces](size_t n) {
                       return indented_list(n, std::string(spaces, ' '), "\n");
                     }});
  }
  forms.push_back(
      {"json: a List indented by a tab", [](size_t n) { return indented_list(n, "\t", "\n"); }});
  forms.push_back({"json: a List indented by 2, with CRLF",
                   [](size_t n) { return indented_list(n, "  ", "\r\n"); }});
  return forms;
}

}  // namespace growth
