// The stream form: frames over a connection that stays open.
#pragma once

#include <memory>
#include <string>

#include "net/src/remote/byte_stream.hpp"
#include "net/src/remote/channel.hpp"
#include "net/src/remote/frame.hpp"
#include "net/src/remote/nodes.hpp"
#include "net/src/remote/pods.hpp"

namespace libsched::remote {

class StreamChannel final : public Channel {
 public:
  StreamChannel(ChannelOptions options, const Description* description);

  Result<Description> describe() override;
  Result<Answer> ask(const Question& question, Ledger* ledger) override;
  Result<void> check_health() override;

 private:
  Deadline deadline() const;
  bool is_usable();
  Result<void> connect(Deadline deadline);
  Result<Description> hello(Deadline deadline);
  void close();
  Result<void> append_changes(Ledger* ledger);
  Result<void> append_pod(const libsched_pod* pod, const char* key, std::string* header,
                          size_t* slot);
  Result<void> append_nodes(const Question& question);
  Result<void> append_question(const Question& question);
  Result<Answer> exchange(Deadline deadline);
  Result<Answer> receive(Deadline deadline);
  void take_frame(size_t size);
  Result<void> read_columns_of(const Frame& frame, Answer* answer) const;

  const ChannelOptions options_;
  const Wants wants_;
  Description told_;  // by the plugin, if has_told_
  bool has_told_ = false;
  std::unique_ptr<ByteStream> stream_;
  uint32_t generation_ = 0;  // the process that has opened it: fork_generation()
  uint64_t connection_ = 0;  // counts connections
  uint64_t id_ = 0;          // of the last question
  size_t late_ = 0;          // answers that came too late, and have not arrived yet
  std::string out_, in_, columns_;
  size_t asked_ = 0;  // nodes of the last question
  Nodes nodes_;
  Pods pods_;
};

}  // namespace libsched::remote
