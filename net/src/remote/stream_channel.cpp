// The stream form. What the plugin was told is known only as long as its connection is open.
#include "net/src/remote/stream_channel.hpp"

#include <cstring>

#include "libsched/base/mutex.hpp"
#include "net/src/remote/answer.hpp"
#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

Error protocol_error(std::string text) { return {Rc::kInvalid, std::move(text)}; }

void append_column_entry(std::string* list, const char* name, const char* type, size_t count) {
  if (!list->empty()) list->push_back(',');
  *list += "{\"name\":\"";
  *list += name;
  *list += "\",\"type\":\"";
  *list += type;
  *list += "\",\"count\":";
  append_number(list, static_cast<int64_t>(count));
  list->push_back('}');
}

bool ascends(const uint32_t* rows, size_t count) {
  bool does = true;
  for (size_t i = 1; i < count; ++i) does &= rows[i - 1] < rows[i];
  return does;
}

// The size of an entry; 0: another type.
size_t size_of(std::string_view type) {
  return type == "int8" ? 1 : type == "uint16" ? 2 : type == "uint32" ? 4 : type == "int64" ? 8 : 0;
}

template <typename T>
void fill(std::vector<T>* column, std::string_view bytes, size_t count) {
  column->resize(count);
  if (count != 0) std::memcpy(column->data(), bytes.data(), count * sizeof(T));
}

void fill_fits(std::vector<int8_t>* codes, std::string_view bytes, size_t count) {
  codes->resize(count);
  for (size_t i = 0; i < count; ++i)
    (*codes)[i] = (static_cast<uint8_t>(bytes[i / 8]) >> (i % 8) & 1) != 0
                      ? LIBSCHED_CODE_SUCCESS
                      : LIBSCHED_CODE_UNSCHEDULABLE;
}

}  // namespace

StreamChannel::StreamChannel(ChannelOptions options, const Description* description)
    : options_(std::move(options)),
      wants_(description == nullptr ? Wants() : description->wants),
      nodes_(wants_) {
  if (description == nullptr) return;
  told_ = *description;
  has_told_ = true;
}

Deadline StreamChannel::deadline() const {
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(options_.timeout_ns);
}

void StreamChannel::close() {
  stream_.reset();
  in_.clear();
  late_ = 0;
  nodes_.forget();
  pods_.forget();
}

bool StreamChannel::is_usable() {
  if (late_ == 0) return stream_->is_idle();
  // Answers that came too late may have arrived since, or the end of the connection.
  for (int i = 0; i < 64; ++i) {
    auto more = stream_->receive(&in_, std::chrono::steady_clock::now());
    if (!more.ok()) return more.error().rc == Rc::kDeadline;
  }
  return false;
}

Result<void> StreamChannel::connect(Deadline deadline) {
  if (stream_ != nullptr && generation_ != fork_generation()) {
    stream_->abandon();
    close();
  }
  if (stream_ != nullptr && !is_usable()) close();
  if (stream_ != nullptr) return {};
  auto met = hello(deadline);
  if (!met) return met.error();
  return {};
}

Result<Description> StreamChannel::hello(Deadline deadline) {
  const Address& address = options_.address;
  auto stream =
      address.form == Address::Form::kUnix
          ? connect_unix(address.target, deadline)
          : connect_tcp(address.target,
                        address.form == Address::Form::kTls ? &options_.tls : nullptr, deadline);
  if (!stream) return stream.error();
  stream_ = std::move(*stream);
  generation_ = fork_generation();
  ++connection_;
  std::string header = "{\"id\":";
  append_number(&header, static_cast<int64_t>(++id_));
  header += ",\"call\":\"hello\",\"protocol\":" + std::to_string(kProtocol);
  append_key(&header, "plugin");
  append_json_text(header, options_.name);
  if (!options_.args.empty()) header += ",\"args\":" + options_.args;
  header.push_back('}');
  out_.clear();
  append_frame(&out_, header, {});
  asked_ = 0;
  auto answer = exchange(deadline);
  if (!answer) {
    close();
    return answer.error();
  }
  auto description = description_of(answer->said);
  if (!description) {
    close();
    return description.error();
  }
  if (has_told_ && !(*description == told_)) {
    close();
    return protocol_error("the plugin describes itself differently than before");
  }
  return description;
}

Result<Description> StreamChannel::describe() {
  close();
  return hello(deadline());
}

Result<void> StreamChannel::check_health() {
  const Deadline until = deadline();
  LIBSCHED_TRY(connect(until));
  out_.clear();
  append_frame(&out_, "{\"id\":" + std::to_string(++id_) + ",\"call\":\"ping\"}", {});
  asked_ = 0;
  auto answer = exchange(until);
  if (!answer) return answer.error();
  return {};
}

Result<Answer> StreamChannel::ask(const Question& question, Ledger* ledger) {
  const Deadline until = deadline();
  const uint64_t before = connection_;
  LIBSCHED_TRY(connect(until));
  if (connection_ != before) ledger->forget();  // states that another connection knew
  if (StateOfPlugin* const state = question.state) {
    if (state->connection != 0 && state->connection != connection_ && ledger->keeps())
      return Error{Rc::kState, "the plugin has lost the state: its connection was opened anew"};
    state->connection = connection_;
  }
  for (bool again = false;; again = true) {
    out_.clear();
    columns_.clear();
    Result<void> written = append_changes(ledger);
    if (written.ok()) written = append_question(question);
    if (!written.ok()) {
      close();  // it is unknown what would have been told
      return written.error();
    }
    auto answer = exchange(until);
    if (!answer) return answer;
    const std::string_view need = answer->said.find("need");
    if (need.empty()) return answer;
    if (again || !is_text(need) || json_string(need) != "nodes") {
      close();
      return protocol_error("need: the plugin needs " + shown(need) + (again ? " again" : ""));
    }
    nodes_.forget();
  }
}

Result<void> StreamChannel::append_changes(Ledger* ledger) {
  const std::vector<StateChange> changes = ledger->take();
  std::string header;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].to.empty()) {
      header = "{\"call\":\"clone\",\"state\":\"" + changes[i].state + "\",\"to\":\"" +
               changes[i].to + "\"}";
    } else {
      header = "{\"call\":\"drop\",\"states\":[\"" + changes[i].state + '"';
      for (; i + 1 < changes.size() && changes[i + 1].to.empty(); ++i)
        header += ",\"" + changes[i + 1].state + '"';
      header += "]}";
    }
    append_frame(&out_, header, {});
  }
  return {};
}

Result<void> StreamChannel::append_pod(const libsched_pod* pod, const char* key,
                                       std::string* header, size_t* slot) {
  if (pod == nullptr) return {};
  bool is_new = false;
  *slot = pods_.slot_of(pod, &is_new, *slot);
  append_key(header, key);
  append_number(header, static_cast<int64_t>(*slot));
  if (!is_new) return {};
  auto document = document_of(pod);
  if (!document) return document.error();
  append_frame(
      &out_, "{\"call\":\"pod\",\"slot\":" + std::to_string(*slot) + ",\"pod\":" + *document + "}",
      {});
  return {};
}

Result<void> StreamChannel::append_nodes(const Question& question) {
  if (nodes_.is_known(question.state, question.view)) return {};
  std::string records, removed;
  auto changed = nodes_.update(question.state, question.view, &records, &removed);
  if (!changed) return changed.error();
  if (!changed->any()) return {};
  std::string header = "{\"call\":\"nodes\",\"version\":" + std::to_string(nodes_.version()) +
                       ",\"base\":" + std::to_string(changed->base) + ",\"records\":[";
  header += records;
  header += "],\"removed\":[";
  header += removed;
  header += "]}";
  if (header.size() > UINT32_MAX)
    return Error{Rc::kLimit, "the data of the nodes has more than 4 GiB"};
  append_frame(&out_, header, {});
  return {};
}

Result<void> StreamChannel::append_question(const Question& question) {
  std::string header =
      "{\"id\":" + std::to_string(++id_) + ",\"call\":\"" + name_of(question.point) + '"';
  if (question.state != nullptr) header += ",\"state\":\"" + question.state->id + '"';
  size_t slot = Pods::kSlots;
  LIBSCHED_TRY(append_pod(question.pod, "pod", &header, &slot));
  LIBSCHED_TRY(append_pod(question.other, "other", &header, &slot));
  header += question.members;
  asked_ = question.count;
  if (question.about_nodes()) {
    LIBSCHED_TRY(append_nodes(question));
    append_key(&header, "nodes");
    append_number(&header, static_cast<int64_t>(nodes_.version()));
    if (question.copy != nullptr) {
      append_key(&header, "copy");
      LIBSCHED_TRY(append_record(&header, question.view, question.rows[0], question.copy, wants_));
    }
    std::string entries;
    if (ascends(question.rows, question.count)) {
      const size_t bits = libsched_view_row_count(question.view);
      std::vector<uint64_t> words((bits + 63) / 64);
      for (size_t i = 0; i < question.count; ++i)
        words[question.rows[i] / 64] |= uint64_t{1} << (question.rows[i] % 64);
      append_column_entry(&entries, "rows", "bitmap", bits);
      append_column(&columns_, words.data(), words.size());
    } else {
      append_column_entry(&entries, "rows", "uint32", question.count);
      append_column(&columns_, question.rows, question.count);
    }
    if (question.point == Point::kNormalizeScore) {
      append_column_entry(&entries, "scores", "int64", question.count);
      append_column(&columns_, question.scores, question.count);
    }
    append_key(&header, "columns");
    header += '[' + entries + ']';
  }
  header.push_back('}');
  append_frame(&out_, header, columns_);
  return {};
}

Result<Answer> StreamChannel::exchange(Deadline deadline) {
  Result<void> sent = stream_->send(out_, deadline);
  if (!sent.ok()) {
    close();
    return sent.error();
  }
  auto answer = receive(deadline);
  if (answer.ok()) return answer;
  if (answer.error().rc != Rc::kDeadline) {
    close();
    return answer;
  }
  // A part of an answer may be one with a wrong length, for which the rest would never come.
  if (!in_.empty()) {
    close();
    return answer;
  }
  // The answer may still arrive, and is skipped then. What was sent so far is known to the plugin.
  ++late_;
  std::string cancel;
  append_frame(&cancel, "{\"call\":\"cancel\",\"cancels\":" + std::to_string(id_) + "}", {});
  if (!stream_->send_now(cancel)) close();
  return answer;
}

// Removes a frame that was read. The memory of a large one is not kept for the next.
void StreamChannel::take_frame(size_t size) {
  constexpr size_t kMostKept = size_t{1} << 20;
  in_.erase(0, size);
  if (in_.capacity() > kMostKept) in_.shrink_to_fit();
}

Result<Answer> StreamChannel::receive(Deadline deadline) {
  for (;;) {
    bool complete = false;
    auto frame = first_frame(in_, &complete);
    if (!frame) return frame.error();
    if (!complete) {
      LIBSCHED_TRY(stream_->receive(&in_, deadline));
      continue;
    }
    auto answer = answer_of(std::string(frame->header));
    if (!answer) return answer;
    auto id = read_number(answer->said, "id", 0);
    if (!id) return id.error();
    const auto is = static_cast<uint64_t>(*id);
    if (*id > 0 && is < id_ && late_ != 0) {
      --late_;
      take_frame(frame->size());
      continue;
    }
    if (is != id_)
      return protocol_error("id: " + std::to_string(*id) + " in place of " + std::to_string(id_));
    LIBSCHED_TRY(read_columns_of(*frame, &*answer));
    take_frame(frame->size());
    return answer;
  }
}

Result<void> StreamChannel::read_columns_of(const Frame& frame, Answer* answer) const {
  const std::string_view list = answer->said.find("columns");
  if (list.empty()) {
    if (frame.columns.empty()) return {};
    return protocol_error("columns: missing, but there are bytes of columns");
  }
  if (!is_list(list)) return protocol_error("columns: expected a list");
  size_t at = 0;
  for (JsonWalk walk(list); walk.next();) {
    if (!is_object(walk.value)) return protocol_error("columns: expected objects");
    const Said entry(walk.value);
    const auto text = [&](const char* key) {
      const std::string_view value = entry.find(key);
      return is_text(value) ? json_string(value) : std::string();
    };
    const std::string name = text("name"), type = text("type");
    auto count = read_number(entry, "count", -1);
    if (!count) return count.error();
    if (*count != static_cast<int64_t>(asked_))
      return protocol_error("columns: " + std::to_string(*count) + " entries of \"" + shown(name) +
                            "\" for " + std::to_string(asked_) + " nodes");
    const size_t bytes = type == "bitmap" ? (asked_ + 63) / 64 * 8 : asked_ * size_of(type);
    if (padded(bytes) > frame.columns.size() - at)
      return protocol_error("columns: the bytes of \"" + shown(name) + "\" are missing");
    const std::string_view column = frame.columns.substr(at, bytes);
    at += padded(bytes);
    if (name == "codes" && type == "int8") {
      fill(&answer->codes, column, asked_);
    } else if (name == "reasonIndexes" && type == "uint16") {
      fill(&answer->reasons, column, asked_);
    } else if (name == "scores" && type == "int64") {
      fill(&answer->scores, column, asked_);
    } else if (name == "fits" && type == "bitmap") {
      fill_fits(&answer->codes, column, asked_);
    } else {
      return protocol_error("columns: unknown column \"" + shown(name) + "\" of type \"" +
                            shown(type) + "\"");
    }
  }
  if (at != frame.columns.size())
    return protocol_error("columns: there are bytes behind the last column");
  return {};
}

}  // namespace libsched::remote
