// The form of plain JSON. Each body is complete, so a plugin need not remember anything.
#include "net/src/remote/http_channel.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "libsched/base/without_password.hpp"
#include "net/src/remote/answer.hpp"
#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

HttpOptions http_options(const ChannelOptions& options) {
  HttpOptions made;
  made.unix_socket = options.address.target;
  made.tls = options.tls;
  made.timeout_ns = options.timeout_ns;
  return made;
}

}  // namespace

HttpChannel::HttpChannel(ChannelOptions options, const Description* description)
    : options_(std::move(options)),
      wants_(description == nullptr ? Wants() : description->wants),
      client_(http_options(options_)),
      nodes_(wants_) {
  nodes_.keep_texts();
}

std::string HttpChannel::start() const {
  std::string body = "{\"protocol\":" + std::to_string(kProtocol);
  append_key(&body, "plugin");
  append_json_text(body, options_.name);
  if (!options_.args.empty()) body += ",\"args\":" + options_.args;
  return body;
}

Result<Answer> HttpChannel::post(const char* path, const std::string& body) {
  const std::string url = options_.address.url + "/" + path;
  const auto began = std::chrono::steady_clock::now();
  if (left_ns_ <= 0) return Error{Rc::kDeadline, "there was no answer in time"};
  auto response = client_.post(url, body, left_ns_);
  left_ns_ -= std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  if (!response) return response.error();
  const auto failed = [&](const std::string& why) {
    return Error{Rc::kIo, "Post \"" + without_password(url) + "\": " + why};
  };
  if (response->status != 200) return failed("status " + std::to_string(response->status));
  if (!response->failure.empty()) return failed(response->failure);
  return answer_of(std::move(response->body));
}

Result<Description> HttpChannel::describe() {
  left_ns_ = options_.timeout_ns;
  auto said = post("describe", start() + "}");
  if (!said) return said.error();
  return description_of(said->said);
}

Result<void> HttpChannel::check_health() {
  left_ns_ = options_.timeout_ns;
  auto said = post("health", start() + "}");
  if (!said) return said.error();
  return {};
}

Result<void> HttpChannel::tell_changes(Ledger* ledger) {
  std::vector<StateChange> changes = ledger->take();
  size_t told = 0;
  while (told < changes.size()) {
    std::string body = start();
    size_t next = told + 1;
    const bool copy = !changes[told].to.empty();
    if (copy) {
      body += ",\"state\":\"" + changes[told].state + "\",\"to\":\"" + changes[told].to + "\"}";
    } else {
      body += ",\"states\":[\"" + changes[told].state + '"';
      for (; next < changes.size() && changes[next].to.empty(); ++next)
        body += ",\"" + changes[next].state + '"';
      body += "]}";
    }
    auto said = post(copy ? "clone" : "drop", body);
    if (!said) {
      changes.erase(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(told));
      ledger->put_back(std::move(changes));
      return said.error();
    }
    told = next;
  }
  return {};
}

Result<void> HttpChannel::append_pod(std::string* body, const char* key, const libsched_pod* pod) {
  if (pod == nullptr) return {};
  bool is_new = false;
  const size_t slot = pods_.slot_of(pod, &is_new);
  if (is_new) {
    auto document = document_of(pod);
    if (!document) {
      pods_.drop(slot);
      return document.error();
    }
    pods_[slot].text = std::move(*document);
  }
  append_key(body, key);
  *body += pods_[slot].text;
  return {};
}

Result<void> HttpChannel::append_nodes(std::string* body, const Question& question) {
  append_key(body, "nodes");
  body->push_back('[');
  if (question.copy != nullptr) {
    if (wants_ == Wants()) {
      append_json_text(*body, view_of(libsched_node_name(libsched_node_info_node(question.copy))));
    } else {
      LIBSCHED_TRY(append_record(body, question.view, question.rows[0], question.copy, wants_));
    }
  } else {
    if (!nodes_.is_known(question.state, question.view)) {
      std::string records, removed;  // the texts of rows are kept by nodes_
      auto changed = nodes_.update(question.state, question.view, &records, &removed);
      if (!changed) {
        nodes_.forget();
        return changed.error();
      }
    }
    for (size_t i = 0; i < question.count; ++i) {
      if (i != 0) body->push_back(',');
      *body += nodes_.text(question.rows[i]);
    }
  }
  body->push_back(']');
  if (question.point != Point::kNormalizeScore) return {};
  append_key(body, "scores");
  body->push_back('[');
  for (size_t i = 0; i < question.count; ++i) {
    if (i != 0) body->push_back(',');
    append_number(body, question.scores[i]);
  }
  body->push_back(']');
  return {};
}

Result<Answer> HttpChannel::ask(const Question& question, Ledger* ledger) {
  left_ns_ = options_.timeout_ns;
  LIBSCHED_TRY(tell_changes(ledger));
  std::string body = start();
  if (question.state != nullptr) body += ",\"state\":\"" + question.state->id + '"';
  LIBSCHED_TRY(append_pod(&body, "pod", question.pod));
  LIBSCHED_TRY(append_pod(&body, "other", question.other));
  body += question.members;
  if (question.about_nodes()) LIBSCHED_TRY(append_nodes(&body, question));
  body.push_back('}');
  return post(name_of(question.point), body);
}

}  // namespace libsched::remote
