// Requests and answers of extender/v1, in upstream's order and with its texts.
#include "net/src/extender/http_extender.hpp"

#include <charconv>
#include <span>
#include <unordered_map>
#include <variant>

#include "libsched/base/base64.hpp"
#include "libsched/base/go_json.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/base/without_password.hpp"
#include "net/src/extender/answers.hpp"

namespace libsched {

namespace {

constexpr int64_t kDefaultTimeout = 5'000'000'000;

libsched_str lend(std::string_view s) { return {s.data(), s.size()}; }
Error extender_error(std::string why) { return {Rc::kPlugin, std::move(why)}; }

// Turns a result into the code and the status of a callback, through which no exception may pass.
template <typename F>
libsched_code answered(libsched_status* status, F&& f) noexcept {
  try {
    const Result<void> result = f();
    if (result.ok()) return LIBSCHED_CODE_SUCCESS;
    libsched_status_set_error(status, lend(result.error().message));
  } catch (const std::bad_alloc&) {
    libsched_status_set_error(status, LIBSCHED_STR("out of memory"));
  } catch (const std::exception& e) {
    libsched_status_set_error(status, libsched_str_from(e.what()));
  }
  return LIBSCHED_CODE_ERROR;
}

// A member of an object, and where its value goes.
struct Field {
  std::string_view name;
  std::variant<std::string*, bool*, int64_t*> to;
};

// Reads the member that a walk has come to, if it is one of these. The text is the library's own,
// so values have the types that they should have.
void read_field(const JsonWalk& walk, std::span<const Field> fields) {
  const std::string_view value = walk.value;
  for (const Field& f : fields) {
    if (walk.key.substr(1, walk.key.size() - 2) != f.name) continue;
    if (const auto* text = std::get_if<std::string*>(&f.to)) {
      **text = json_string(value);
    } else if (const auto* yes = std::get_if<bool*>(&f.to)) {
      **yes = value == "true";
    } else {
      std::from_chars(value.data(), value.data() + value.size(), *std::get<int64_t*>(f.to));
    }
  }
}

HttpExtender& extender_of(void* user_data) { return *static_cast<HttpExtender*>(user_data); }

}  // namespace

Result<HttpExtenderConfig> HttpExtenderConfig::read(std::string_view text) {
  const Result<std::string_view> json = go_value(text);
  if (!json.ok() || json_kind(*json) != JsonKind::kObject)
    return Error{Rc::kInvalid, "an extender is a JSON object"};
  HttpExtenderConfig out;
  TlsConfig tls;
  bool any = false, https = false;
  int64_t timeout = 0;
  std::string cert, key, ca;
  const Field fields[] = {{"urlPrefix", &out.url_prefix},
                          {"filterVerb", &out.filter_verb},
                          {"preemptVerb", &out.preempt_verb},
                          {"prioritizeVerb", &out.prioritize_verb},
                          {"bindVerb", &out.bind_verb},
                          {"weight", &out.weight},
                          {"nodeCacheCapable", &out.node_cache_capable},
                          {"ignorable", &out.ignorable},
                          {"enableHTTPS", &https},
                          {"httpTimeoutNanoseconds", &timeout}};
  const Field tls_fields[] = {{"insecure", &tls.insecure},
                              {"serverName", &tls.server_name},
                              {"certFile", &tls.cert_file},
                              {"keyFile", &tls.key_file},
                              {"caFile", &tls.ca_file},
                              {"certData", &cert},
                              {"keyData", &key},
                              {"caData", &ca}};
  for (JsonWalk walk(*json); walk.next();) {
    read_field(walk, fields);
    if (walk.key == "\"managedResources\"")
      for (JsonWalk item(walk.value); item.next();)
        for (JsonWalk member(item.value); member.next();)
          if (member.key == "\"name\"") out.managed_resources.push_back(json_string(member.value));
    if (walk.key != "\"tlsConfig\"") continue;
    any = true;
    for (JsonWalk member(walk.value); member.next();) read_field(member, tls_fields);
  }
  out.http.timeout_ns = timeout == 0 ? kDefaultTimeout : timeout;
  for (const auto& [from, to] :
       {std::pair{&cert, &tls.cert_data}, {&key, &tls.key_data}, {&ca, &tls.ca_data}}) {
    if (decode_base64(*from, *to) != Str::npos) return invalid({}, "illegal base64 data");
  }
  // Upstream's: HTTPS without a certificate authority is not verified.
  if (https && tls.ca_file.empty() && tls.ca_data.empty()) any = tls.insecure = true;
  if (any) {
    Result<TlsConfig> loaded = load_tls(std::move(tls));
    if (!loaded.ok()) return std::move(loaded.error());
    out.http.tls = std::move(*loaded);
  }
  return out;
}

libsched_extender_functions HttpExtender::functions(std::vector<libsched_str>* managed) const {
  libsched_extender_functions f = LIBSCHED_EXTENDER_FUNCTIONS_INIT;
  f.ignorable = config_.ignorable;
  f.reads_pods = f.concurrent = true;
  f.reads_nodes = !config_.node_cache_capable;
  f.name = lend(shown_url_);
  f.weight = config_.weight;
  for (const std::string& name : config_.managed_resources) managed->push_back(lend(name));
  f.managed_resources = managed->data();
  f.managed_resource_count = managed->size();
  if (!config_.filter_verb.empty())
    f.filter = [](void* data, const libsched_pod* pod, const libsched_node* const* nodes,
                  size_t count, const libsched_extender_answer* answer, libsched_status* status) {
      return answered(status, [&] { return extender_of(data).filter(pod, nodes, count, *answer); });
    };
  if (!config_.prioritize_verb.empty())
    f.prioritize = [](void* data, const libsched_pod* pod, const libsched_node* const* nodes,
                      size_t count, const libsched_extender_answer* answer,
                      libsched_status* status) {
      return answered(status,
                      [&] { return extender_of(data).prioritize(pod, nodes, count, *answer); });
    };
  if (!config_.preempt_verb.empty())
    f.process_preemption = [](void* data, const libsched_pod* pod,
                              const libsched_extender_candidate* candidates, size_t count,
                              const libsched_extender_answer* answer, libsched_status* status) {
      return answered(status, [&] {
        return extender_of(data).process_preemption(pod, candidates, count, *answer);
      });
    };
  if (!config_.bind_verb.empty())
    f.bind = [](void* data, const libsched_pod* pod, libsched_str node, libsched_status* status) {
      return answered(status, [&] { return extender_of(data).bind(pod, view_of(node)); });
    };
  f.destroy = [](void* data) { delete static_cast<HttpExtender*>(data); };
  return f;
}

Result<std::string_view> HttpExtender::send(const std::string& verb, std::string_view request,
                                            std::string* body) const {
  std::string url = config_.url_prefix;
  url.erase(url.find_last_not_of('/') + 1);
  url += "/" + verb;
  Result<HttpResponse> response = client_.post(url, request);
  if (!response.ok()) return std::move(response.error());
  if (response->status != 200)
    return extender_error("failed " + verb + " with extender at URL " + without_password(url) +
                          ", code " + std::to_string(response->status));
  *body = std::move(response->body);
  Result<std::string_view> value = go_value(*body);
  // A text that ends too early is the transfer's error, if that has ended early.
  if (!value.ok() && value.error().rc == Rc::kIo && !response->failure.empty())
    return extender_error(response->failure);
  return value;
}

Result<std::string> HttpExtender::node_arguments(const libsched_pod* pod,
                                                 const libsched_node* const* nodes, size_t count) {
  Result<std::string> document = pod_document(pod);
  if (!document.ok()) return document;
  std::string out = "{\"Pod\":" + *document;
  if (config_.node_cache_capable) {
    out += ",\"Nodes\":null,\"NodeNames\":[";
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) out += ',';
      out += json_quote(view_of(libsched_node_name(nodes[i])));
    }
    out += "]}";
  } else {
    out += ",\"Nodes\":{\"metadata\":{},\"items\":[";
    LIBSCHED_TRY(documents_.append(nodes, count, &out));
    out += "]},\"NodeNames\":null}";
  }
  return out;
}

Result<void> HttpExtender::filter(const libsched_pod* pod, const libsched_node* const* nodes,
                                  size_t count, const libsched_extender_answer& answer) {
  const Result<std::string> request = node_arguments(pod, nodes, count);
  if (!request.ok()) return request.error();
  std::string body;
  const Result<std::string_view> value = send(config_.filter_verb, *request, &body);
  if (!value.ok()) return value.error();
  const Result<FilterResult> result = decode_filter_result(*value, count);
  if (!result.ok()) return result.error();
  if (!result->error.empty()) return extender_error(result->error);

  std::unordered_map<std::string_view, size_t> index;
  for (size_t i = 0; i < count; ++i) index.emplace(view_of(libsched_node_name(nodes[i])), i);
  const auto unknown = [&](std::string_view name) {
    return extender_error("extender " + go_quote(shown_url_) + " claims a filtered node " +
                          go_quote(name) + " which is not found in the input node list");
  };
  if (config_.node_cache_capable && result->node_names) {
    for (const std::string& name : *result->node_names) {
      const auto it = index.find(name);
      if (it == index.end()) return unknown(name);
      answer.keep(answer.context, it->second);
    }
  } else if (result->nodes) {
    for (const std::string_view document : *result->nodes) {
      const auto guess = index.find(guessed_name(document));
      const Result<NodeReference> parsed =
          documents_.parse(document, guess == index.end() ? nullptr : nodes[guess->second]);
      if (!parsed.ok()) return parsed.error();
      const libsched_node* const node = parsed->get();
      const std::string_view name = view_of(libsched_node_name(node));
      const auto it = index.find(name);
      if (it == index.end()) return unknown(name);
      documents_.keep(nodes[it->second], document, node);
      answer.keep_node(answer.context, it->second, node);
    }
  }
  for (const auto& [name, why] : result->failed)
    answer.reject(answer.context, lend(name), lend(why), false);
  for (const auto& [name, why] : result->unresolvable)
    answer.reject(answer.context, lend(name), lend(why), true);
  return {};
}

Result<void> HttpExtender::prioritize(const libsched_pod* pod, const libsched_node* const* nodes,
                                      size_t count, const libsched_extender_answer& answer) {
  const Result<std::string> request = node_arguments(pod, nodes, count);
  if (!request.ok()) return request.error();
  std::string body;
  const Result<std::string_view> value = send(config_.prioritize_verb, *request, &body);
  if (!value.ok()) return value.error();
  const Result<std::vector<ExtenderScore>> scores = decode_priorities(*value, count);
  if (!scores.ok()) return scores.error();
  for (const ExtenderScore& p : *scores) answer.score(answer.context, lend(p.node), p.score);
  return {};
}

Result<void> HttpExtender::process_preemption(const libsched_pod* pod,
                                              const libsched_extender_candidate* candidates,
                                              size_t count,
                                              const libsched_extender_answer& answer) {
  Result<std::string> document = pod_document(pod);
  if (!document.ok()) return document.error();
  std::string victims;
  for (size_t i = 0; i < count; ++i) {
    const libsched_extender_candidate& c = candidates[i];
    if (i != 0) victims += ',';
    victims += json_quote(view_of(c.node)) + ":{\"Pods\":[";
    for (size_t k = 0; k < c.victim_count; ++k) {
      if (k != 0) victims += ',';
      if (config_.node_cache_capable) {
        victims += "{\"UID\":" + json_quote(view_of(libsched_pod_uid(c.victims[k]))) + "}";
      } else {
        Result<std::string> victim = pod_document(c.victims[k]);
        if (!victim.ok()) return victim.error();
        victims += *victim;
      }
    }
    victims += "],\"NumPDBViolations\":" + std::to_string(c.budget_violations) + "}";
  }
  const std::string request =
      "{\"Pod\":" + *document +
      (config_.node_cache_capable
           ? ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{" + victims + "}}"
           : ",\"NodeNameToVictims\":{" + victims + "},\"NodeNameToMetaVictims\":null}");
  std::string body;
  const Result<std::string_view> value = send(config_.preempt_verb, request, &body);
  if (!value.ok()) return value.error();
  const Result<std::vector<ExtenderVictims>> left = decode_preemption_result(*value, count);
  if (!left.ok()) return left.error();
  for (const ExtenderVictims& v : *left) {
    std::vector<libsched_str> uids;
    for (const std::string& uid : v.uids) uids.push_back(lend(uid));
    answer.victims(answer.context, lend(v.node), uids.data(), uids.size(), v.budget_violations);
  }
  return {};
}

Result<void> HttpExtender::bind(const libsched_pod* pod, std::string_view node) {
  const std::string request =
      "{\"PodName\":" + json_quote(view_of(libsched_pod_name(pod))) +
      ",\"PodNamespace\":" + json_quote(view_of(libsched_pod_namespace(pod))) +
      ",\"PodUID\":" + json_quote(view_of(libsched_pod_uid(pod))) +
      ",\"Node\":" + json_quote(node) + "}";
  std::string body;
  const Result<std::string_view> value = send(config_.bind_verb, request, &body);
  if (!value.ok()) return value.error();
  const Result<std::string> error = decode_binding_result(*value);
  if (!error.ok()) return error.error();
  return error->empty() ? Result<void>() : extender_error(*error);
}

}  // namespace libsched
