// Question: an expression that is asked about the devices of ResourceSlices, and why it does not
// match some of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/objects/resource_slice.hpp"

namespace libsched::cel {

class Question final : public RefCounted {
 public:
  // Errors: those of compile(); the path is the place of the first one, "line:column" in code
  // points from 1.
  static Result<Ref<const Question>> ask(Str expression, const Options& options = {});

  const Program& program() const { return *program_; }
  const Options& options() const { return options_; }

  // The operands of the outermost `&&`, in their order (split.hpp).
  struct Part {
    std::string text;
    Ref<const Program> program;
    std::string subject;  // what it compares or calls a method of; "" if there is no such thing
    Ref<const Program> subject_program;
  };
  const std::vector<Part>& parts() const { return parts_; }

  // Why a device does not match: the first part that is false, or of a device whose `match` is
  // kError the first that fails. None if the device matches, or no part alone is the reason.
  struct Obstacle {
    const Part* part = nullptr;
    std::string answer;  // "false" or the error
    std::string value;   // of the part's subject; "" if it has none, or it fails
  };
  std::optional<Obstacle> obstacle(const Device& device, Match match, Scratch& scratch) const;

  // The answers for all devices as JSON, in the order of the slices:
  //   [{"slice", "driver", "pool", "node", "device", "match": true|false|null, "cost",
  //     "value" (if any result is allowed), "error", "because": {"expression", "answer",
  //     "subject", "value"}}]
  // "node" is of slices and devices of a single node; `match` is null if there is an error.
  std::string devices_json(Span<const ResourceSlice*> slices) const;

 private:
  Question(Options options, Ref<const Program> program)
      : options_(options), program_(std::move(program)) {}

  Options options_;
  Ref<const Program> program_;
  std::vector<Part> parts_;
};

}  // namespace libsched::cel
