package libsched

// #include "bridge.h"
import "C"

// Release is the release of Kubernetes that a cluster has, as far as the cluster tells.
type Release struct {
	// Name is the minor release whose semantics suit the cluster, such as "1.36", for WithSemantics. If
	// the cluster does not tell its version, it is the default.
	Name string `json:"name"`
	// Version is the version that was found, such as "v1.36.1", and Source what has it: the
	// namespace/name of a pod, the API server, or a kubelet. Both are "" if none was found.
	Version string `json:"version"`
	Source  string `json:"source"`
	// Note tells that the version is older or newer than all releases that may be chosen, of which
	// Name is the nearest one then.
	Note string `json:"note"`
}

func (r *reader) Release(serverVersion string) (Release, error) {
	view := r.enter()
	if view == nil {
		return Release{}, &Error{Code: ErrMisuse, Msg: "the view is closed"}
	}
	defer r.leave()
	text, err := textOfObject(view, func(v *C.libsched_view, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_view_release_json(v, str(serverVersion), text, err)
	})
	return readJSON[Release]("the release of a cluster", text, err)
}
