package libsched

// #include "bridge.h"
import "C"

import "fmt"

func init() {
	if loaded := C.libsched_abi_version(); loaded != C.LIBSCHED_ABI_VERSION {
		panic(fmt.Sprintf("libsched: the library that was loaded has ABI version %d, this program "+
			"was built for %d", loaded, C.LIBSCHED_ABI_VERSION))
	}
}

// Version returns the version of the loaded library: "0.1.0".
func Version() string { return C.GoString(C.libsched_version()) }

// KubernetesVersion returns the release of Kubernetes that frameworks follow where none is chosen: "1.37".
func KubernetesVersion() string { return C.GoString(C.libsched_k8s_version()) }
