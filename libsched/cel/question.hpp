// Question: an expression that is asked about the devices of ResourceSlices, and why it does not
// match some of them.
#pragma once

#include <string>
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

  // The parts of `a && b && c`, in their order; a single one if the expression is no such chain.
  struct Part {
    std::string text;
    Ref<const Program> program;
  };
  const std::vector<Part>& parts() const { return parts_; }

  // Why a device does not match: the first part that is false or fails. nullptr if each is true.
  // `answer` is "false" or the error.
  const Part* obstacle(const Device& device, Scratch& scratch, std::string* answer) const;

  // The answers for all devices as JSON, in the order of the slices:
  //   [{"slice", "driver", "pool", "node", "device", "match": true|false|null, "cost",
  //     "value" (if any result is allowed), "error", "because": {"expression", "answer"}}]
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
