// The form of plain JSON: an HTTP POST for each question.
#pragma once

#include <string>

#include "net/src/http/client.hpp"
#include "net/src/remote/channel.hpp"
#include "net/src/remote/nodes.hpp"
#include "net/src/remote/pods.hpp"

namespace libsched::remote {

class HttpChannel final : public Channel {
 public:
  HttpChannel(ChannelOptions options, const Description* description);

  Result<Description> describe() override;
  Result<Answer> ask(const Question& question, Ledger* ledger) override;
  Result<void> check_health() override;

 private:
  std::string start() const;
  Result<Answer> post(const char* path, const std::string& body);
  Result<void> tell_changes(Ledger* ledger);
  Result<void> append_pod(std::string* body, const char* key, const libsched_pod* pod);
  Result<void> append_nodes(std::string* body, const Question& question);

  const ChannelOptions options_;
  const Wants wants_;
  HttpClient client_;
  Nodes nodes_;
  Pods pods_;
  int64_t left_ns_ = 0;  // of the time for the question
};

}  // namespace libsched::remote
