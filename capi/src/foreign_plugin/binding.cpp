// Foreign plugins at PostFilter and from Reserve to PostBind.
#include "foreign_plugin.hpp"

namespace libsched::capi {

Status ForeignPlugin::post_filter(const PostFilterCall& call,
                                  std::optional<Nomination>* wish) const {
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  SlotCall asked(*r_, &call.state);
  Status s = asked.finish(slots().post_filter(self(), wrap(&call.state), wrap(&call.pod),
                                              wrap(&call.statuses), &nomination, asked.status()),
                          slot_codes::kPostFilter);
  switch (nomination.mode) {
    case LIBSCHED_NOMINATION_NONE: break;
    case LIBSCHED_NOMINATION_NOOP:
    case LIBSCHED_NOMINATION_OVERRIDE:
      *wish = Nomination{nomination.mode == LIBSCHED_NOMINATION_OVERRIDE,
                         std::string(in(nomination.node))};
      break;
    default:
      return r_->nonsense("set the unknown nomination mode " + std::to_string(nomination.mode));
  }
  return s;
}

Status ForeignPlugin::reserve(const ReserveCall& call) const {
  if (slots().reserve == nullptr) return {};
  const Cluster::Judging judging(&call.cluster);  // a slot may not change the cluster
  SlotCall asked(*r_, &call.state);
  return asked.finish(slots().reserve(self(), wrap(&call.state), wrap(&call.pod), call.row,
                                      out(call.node), asked.status()),
                      slot_codes::kReserve);
}

Steps<> ForeignPlugin::unreserve(const ReserveCall& call) const {
  if (slots().unreserve == nullptr) return {};
  const Cluster::Judging judging(&call.cluster);
  const SlotCall asked(*r_, &call.state);
  slots().unreserve(self(), wrap(&call.state), wrap(&call.pod), call.row, out(call.node));
  return {};
}

Status ForeignPlugin::permit(const BindingCall& call, int64_t* timeout_ns) const {
  SlotCall asked(*r_, &call.state);
  return asked.finish(slots().permit(self(), wrap(&call.state), wrap(&call.pod), out(call.node),
                                     timeout_ns, asked.status()),
                      slot_codes::kPermit);
}

Status ForeignPlugin::pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const {
  if (slots().pre_bind_pre_flight == nullptr) return {};
  const Cluster::Judging judging(call.services.cluster);
  SlotCall asked(*r_, &call.state);
  return asked.finish(slots().pre_bind_pre_flight(self(), wrap(&call.state), wrap(&call.pod),
                                                  out(call.node), allow_parallel, asked.status()));
}

Steps<Status> ForeignPlugin::pre_bind(const BindingCall& call) const {
  const Cluster::Judging judging(call.services.cluster);
  SlotCall asked(*r_, &call.state);
  return asked.finish(
      slots().pre_bind(self(), wrap(&call.state), wrap(&call.pod), out(call.node), asked.status()),
      slot_codes::kPreBind);
}

Steps<Status> ForeignPlugin::bind(const BindingCall& call) const {
  const Cluster::Judging judging(call.services.cluster);
  SlotCall asked(*r_, &call.state);
  return asked.finish(
      slots().bind(self(), wrap(&call.state), wrap(&call.pod), out(call.node), asked.status()),
      slot_codes::kBind);
}

void ForeignPlugin::post_bind(const BindingCall& call) const {
  const Cluster::Judging judging(call.services.cluster);
  const SlotCall asked(*r_, &call.state);
  slots().post_bind(self(), wrap(&call.state), wrap(&call.pod), out(call.node));
}

}  // namespace libsched::capi
