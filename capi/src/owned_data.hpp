// OwnedData: the user data of a struct of functions, until an object takes it over.
#pragma once

#include "handles.hpp"

namespace libsched::capi {

// Destroys the user data of functions that are refused, too.
struct OwnedData {
  // Reads only the fields that a struct of that size has.
  template <typename Functions>
  OwnedData(const Functions* functions, void* user_data) : data(user_data) {
    if (functions != nullptr && functions->struct_size >= sizeof(Functions) &&
        functions->struct_size <= kMaxStructSize)
      destroy = functions->destroy;
  }
  ~OwnedData() {
    if (destroy != nullptr) destroy(data);
  }
  OwnedData(const OwnedData&) = delete;
  OwnedData& operator=(const OwnedData&) = delete;

  void* data;
  void (*destroy)(void*) = nullptr;
};

}  // namespace libsched::capi
