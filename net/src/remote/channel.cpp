// The form of the protocol by the address.
#include "net/src/remote/http_channel.hpp"
#include "net/src/remote/stream_channel.hpp"

namespace libsched::remote {

std::unique_ptr<Channel> make_channel(ChannelOptions options, const Description* description) {
  if (options.address.form == Address::Form::kHttp)
    return std::make_unique<HttpChannel>(std::move(options), description);
  return std::make_unique<StreamChannel>(std::move(options), description);
}

}  // namespace libsched::remote
