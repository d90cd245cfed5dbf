package libsched

// #include "bridge.h"
// static const char lsgo_empty[1] = "";
// static inline const char *lsgo_empty_ptr(void) { return lsgo_empty; }
import "C"

import (
	"encoding/json"
	"runtime"
	"unsafe"
)

// emptyText is not NULL, because the C API takes NULL for "unchanged".
var emptyText = C.lsgo_empty_ptr()

// nameOf returns the name of a value of an enumeration that begins with 0.
func nameOf[T ~uint8 | ~uint32](value T, names ...string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return "unknown"
}

// textOf lends the bytes of a string to one call.
func textOf(s string) (*C.char, C.size_t) {
	if s == "" {
		return emptyText, 0
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))
}

// str is textOf for functions that take a libsched_str.
func str(s string) C.libsched_str {
	ptr, n := textOf(s)
	return C.libsched_str{ptr: ptr, len: n}
}

// strOfBytes lends a document to one call.
func strOfBytes(b []byte) C.libsched_str {
	if len(b) == 0 {
		return C.libsched_str{ptr: emptyText}
	}
	return C.libsched_str{ptr: (*C.char)(unsafe.Pointer(unsafe.SliceData(b))), len: C.size_t(len(b))}
}

// pinned keeps texts in their place while C reads them in a struct of Go's memory.
type pinned struct{ runtime.Pinner }

// str is the function str for such a struct.
func (p *pinned) str(s string) C.libsched_str {
	if s != "" {
		p.Pin(unsafe.StringData(s))
	}
	return str(s)
}

// strs is the array of texts for such a struct, or for one call. It is not empty memory if there are none.
func (p *pinned) strs(texts []string) *C.libsched_str {
	list := make([]C.libsched_str, 0, len(texts)+1)
	for _, text := range texts {
		list = append(list, p.str(text))
	}
	p.Pin(unsafe.SliceData(list))
	return unsafe.SliceData(list)
}

// borrowed returns the bytes of a libsched_str without a copy; they are valid as long as the string.
func borrowed(s C.libsched_str) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s.ptr)), int(s.len))
}

// goString copies a libsched_str.
func goString(s C.libsched_str) string {
	if s.len == 0 {
		return ""
	}
	return string(borrowed(s))
}

// listed returns what `at` finds at each index below count.
func listed[R any](count C.size_t, at func(C.size_t) R) []R {
	list := make([]R, count)
	for i := range list {
		list[i] = at(C.size_t(i))
	}
	return list
}

// takeText copies a text of the library and frees the original.
func takeText(text *C.libsched_text) []byte {
	defer C.libsched_text_unref(text)
	return append([]byte(nil), borrowed(C.libsched_text_get(text))...)
}

// readText calls `call` on an object and returns its document.
func readText[P comparable, T any](of *T, h *handle[P], call func(P, **C.libsched_text,
	**C.libsched_error) C.libsched_rc) ([]byte, error) {
	ptr, err := acquired(of, h)
	if err != nil {
		return nil, err
	}
	defer h.release()
	return textOfObject(ptr, call)
}

// textOfObject is readText for an object that is in use.
func textOfObject[P comparable](ptr P, call func(P, **C.libsched_text, **C.libsched_error) C.libsched_rc) ([]byte, error) {
	var text *C.libsched_text
	var failure *C.libsched_error
	if rc := call(ptr, &text, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return takeText(text), nil
}

// readJSON decodes a document made by the library.
func readJSON[T any](what string, document []byte, err error) (T, error) {
	var into T
	if err == nil {
		if wrong := json.Unmarshal(document, &into); wrong != nil {
			err = &Error{Code: ErrInternal, Msg: what + ": " + wrong.Error()}
		}
	}
	return into, err
}

// interner returns the same Go string for equal texts, because verdicts repeat a few reasons.
type interner map[string]string

const mostInterned = 4096

func (in interner) string(s C.libsched_str) string {
	if s.len == 0 {
		return ""
	}
	bytes := borrowed(s)
	if known, ok := in[string(bytes)]; ok {
		return known
	}
	if len(in) >= mostInterned {
		clear(in)
	}
	text := string(bytes)
	in[text] = text
	return text
}
