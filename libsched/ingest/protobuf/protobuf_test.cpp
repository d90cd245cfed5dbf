// Protobuf against JSON: recorded objects of the real Go types in both encodings, and broken bytes.
#include "libsched/ingest/protobuf/protobuf.hpp"

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/recorded_table_test.hpp"

namespace libsched::protobuf_test {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<uint32_t>(kDigits.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

// Equality except for the order of members and for members that are null, which are absent in
// protobuf; `at` names the first difference.
bool same_value(element a, element b, std::string& at) {
  if (a.type() != b.type()) return false;
  if (a.type() == element_type::ARRAY) {
    const array x = a, y = b;
    if (x.size() != y.size()) return false;
    auto other = y.begin();
    for (const auto e : x) {
      if (!same_value(e, *other, at)) return false;
      ++other;
    }
    return true;
  }
  if (a.type() != element_type::OBJECT) return simdjson::minify(a) == simdjson::minify(b);
  const object x = a, y = b;
  const auto covers = [&](object some, object other, bool deep) {
    for (const auto member : some) {
      if (member.value.is_null()) continue;
      element e;
      if (other[member.key].get(e) != simdjson::SUCCESS ||
          (deep && !same_value(member.value, e, at))) {
        at = std::string(member.key) + (at.empty() ? "" : "." + at);
        return false;
      }
    }
    return true;
  };
  return covers(x, y, true) && covers(y, x, false);
}

// The kind and what a set holds, in words.
std::string outline(const ObjectSet& set) {
  std::string out = std::to_string(set.size()) + " objects";
  for (const PodRef& p : set.pods) out += ", pod " + std::string(p->meta.name);
  for (const NodeRef& n : set.nodes) out += ", node " + std::string(n->meta.name);
  for (const StoredObject& s : set.stored) out += ", stored " + std::string(s.object->meta.name);
  return out;
}

void append_field(std::string& out, int number, std::string_view bytes) {
  out += static_cast<char>(number << 3 | 2);
  for (size_t n = bytes.size();; n >>= 7) {
    out += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
    if (n <= 0x7f) break;
  }
  out += bytes;
}

std::string field(int number, std::string_view bytes) {
  std::string out;
  append_field(out, number, bytes);
  return out;
}

std::string envelope(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string(kProtobufEnvelope) + field(1, field(1, api_version) + field(2, kind)) +
         field(2, raw);
}

Error refused(const std::string& bytes, ParseOptions options = {}) {
  options.format = Format::kProtobuf;
  const auto got = parse_pod(bytes, options);
  REQUIRE(!got.ok());
  return got.error();
}

std::string text_of(const Error& e) { return e.text(); }

TEST_CASE("protobuf: fields and kinds of 1.37") {
  const std::string meta = field(1, field(1, "p"));
  const std::string mount = field(9, field(1, "v") + field(8, "noexec"));
  ParseOptions options;
  options.format = Format::kProtobuf;
  const auto pod =
      parse_pod(envelope("v1", "Pod", meta + field(2, field(2, field(1, "c") + mount))), options);
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  CHECK((*pod)->spec.bind_mount_options);

  const std::string gang = field(2, std::string("\x08\x03", 2));  // minCount: 3
  const std::string claim = field(5, field(1, "e") + field(2, "shared"));
  for (const char* version : {"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"}) {
    const auto group = protobuf_to_json(
        envelope(version, "PodGroup", meta + field(2, field(3, gang) + claim)), {}, {});
    REQUIRE_MESSAGE(group.ok(), group.error().text());
    CHECK(group->find("\"minCount\":3") != std::string::npos);
    CHECK(group->find("\"resourceClaimName\":\"shared\"") != std::string::npos);
  }
  // Of 1.36 other numbers have these fields.
  const auto older = protobuf_to_json(
      envelope("scheduling.k8s.io/v1alpha2", "PodGroup", meta + field(2, field(2, gang))), {}, {});
  REQUIRE(older.ok());
  CHECK(older->find("\"minCount\":3") != std::string::npos);
}

TEST_CASE("protobuf: recorded objects read as their JSON does") {
  const RecordedTable table("protobuf.json.gz");
  size_t count = 0;
  for (const array pair : array(table["objects"])) {
    const std::string json = text_at(pair.at(0)), bytes = from_base64(text_at(pair.at(1)));
    CAPTURE(json);
    const auto written = protobuf_to_json(bytes, {}, {});
    REQUIRE_MESSAGE(written.ok(), written.error().text());
    simdjson::dom::parser p, q;
    element a, b;
    REQUIRE(p.parse(simdjson::padded_string(json)).get(a) == simdjson::SUCCESS);
    REQUIRE(q.parse(simdjson::padded_string(*written)).get(b) == simdjson::SUCCESS);
    std::string at;
    const bool same = same_value(a, b, at);
    CAPTURE(*written);
    CHECK_MESSAGE(same, at);
    // What the builder refuses in one encoding it refuses in the other, with the same error.
    ParseOptions options;
    options.defaults = options.validate = true;
    const auto x = parse_objects(json, options), y = parse_objects(bytes, options);
    REQUIRE(x.ok() == y.ok());
    if (x.ok()) {
      CHECK(outline(*x) == outline(*y));
      CHECK(x->warnings.size() == y->warnings.size());
      CHECK(y->unknown_fields == x->unknown_fields);
    } else {
      CHECK(x.error().text() == y.error().text());
    }
    if (++count <= 20) {  // each prefix is refused, or is a whole message
      for (size_t n = 0; n < bytes.size(); n += 7)
        (void)parse_objects(Str(bytes).substr(0, n), options);
    }
  }
  CHECK(count >= 130);
}

TEST_CASE("protobuf: messages without an envelope take the kind that is asked for") {
  const std::string pod = field(1, field(1, "web") + field(3, "shop")) + field(2, field(10, "n1"));
  ParseOptions options;
  options.format = Format::kProtobuf;
  const auto got = parse_pod(pod, options);
  REQUIRE_MESSAGE(got.ok(), got.error().text());
  CHECK((*got)->meta.name == "web");
  CHECK((*got)->meta.ns == "shop");
  CHECK((*got)->spec.node_name == "n1");
  CHECK(parse_pod(envelope("v1", "Pod", pod), {}).ok());
  const auto node = parse_node(field(1, field(1, "n1")), options);
  REQUIRE(node.ok());
  CHECK((*node)->meta.name == "n1");
  CHECK(text_of(parse_objects(pod, options).error()).find("envelope") != std::string::npos);
  CHECK(text_of(parse_node(envelope("v1", "Pod", pod), {}).error()).find("got a Pod") !=
        std::string::npos);
}

TEST_CASE("protobuf: each character at each place of a text is written as JSON reads it") {
  ParseOptions options;
  options.format = Format::kProtobuf;
  for (int c = 1; c < 128; ++c) {
    std::string name(19, 'x');
    for (size_t at = 0; at < name.size(); ++at) {
      name[at] = static_cast<char>(c);
      const auto got = parse_node(field(1, field(1, name)), options);
      REQUIRE(got.ok());
      CHECK((*got)->meta.name == name);
      name[at] = 'x';
    }
  }
  CHECK(text_of(parse_node(field(1, field(1, std::string("a\0b", 3))), options).error())
            .find("NUL") != std::string::npos);
}

TEST_CASE("protobuf: lists, and kinds that are not read") {
  const std::string one = field(1, field(1, "a")), two = field(1, field(1, "b"));
  const auto pods = parse_objects(envelope("v1", "PodList", field(2, one) + field(2, two)), {});
  REQUIRE_MESSAGE(pods.ok(), pods.error().text());
  CHECK(pods->pods.size() == 2);
  const auto other =
      parse_objects(envelope("v1", "ConfigMapList", field(2, one) + field(2, two)), {});
  REQUIRE(other.ok());
  REQUIRE(other->skipped.size() == 1);
  CHECK(other->skipped[0].count == 2);
  const std::string same = envelope("v1", "PodList", field(2, one) + field(2, one));
  CHECK(text_of(parse_objects(same, {}).error()) ==
        "items[1]: duplicate Pod default/a, the first is items[0]");
  CHECK(parse_objects(envelope("v1", "List", ""), {}).error().rc == Rc::kUnsupported);
  CHECK(text_of(parse_objects(envelope("apps/v1", "Pod", one), {}).error()).find("no kind") !=
        std::string::npos);
}

TEST_CASE("protobuf: broken bytes are refused with the place") {
  const std::string meta = field(1, field(1, "web"));
  const auto container = [&](const std::string& bytes) {
    return meta + field(2, field(2, field(1, "c")) + field(2, bytes));
  };
  CHECK(text_of(refused(container("\x12\x7f"))) ==
        "spec.containers[1]: protobuf: truncated: field 2 has 127 bytes, of which 0 are left");
  CHECK(text_of(refused(container("\x10\x01"))) ==
        "spec.containers[1].image: protobuf: a number where bytes belong");
  CHECK(text_of(refused(container(field(2, "\xff")))) ==
        "spec.containers[1].image: protobuf: the text is not UTF-8");
  CHECK(text_of(refused(container(field(2, "a") + field(2, "b")))) ==
        "spec.containers[1].image: protobuf: the field is there twice");
  const std::string cpu = field(1, field(1, "cpu") + field(2, field(1, "lots")));
  CHECK(refused(container(field(8, field(1, cpu).substr(2)))).path ==
        "spec.containers[1].resources.limits.cpu");
  CHECK(text_of(refused(meta + "\x0b")) == "protobuf: truncated: the bytes end within a group");
  CHECK(parse_pod(meta + "\x7b\x08\x01\x7c\x80\x7d\x05",
                  [] {
                    ParseOptions o;
                    o.format = Format::kProtobuf;
                    return o;
                  }())
            .ok());  // a group and a number of fields that no Pod has
  CHECK(text_of(refused("")) == "no objects: the document is empty");
  CHECK(text_of(refused(field(1, field(2, "web-")))).find("generateName") != std::string::npos);
  ParseOptions shallow;
  shallow.max_depth = 2;
  CHECK(refused(container(""), shallow).rc == Rc::kLimit);
  ParseOptions small;
  small.max_bytes = 70;
  CHECK(refused(container(""), small).rc == Rc::kLimit);
  CHECK(refused(std::string(kProtobufEnvelope)).message ==
        "protobuf: the envelope: it has no object");
  CHECK(refused(envelope("v1", "Pod", meta) + field(3, "gzip")).rc == Rc::kUnsupported);
}

}  // namespace libsched::protobuf_test
