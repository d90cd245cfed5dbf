package libsched

// #include "net_bridge.h"
import "C"

import (
	"strings"
	"time"
	"unsafe"
)

// RemoteOptions say how a plugin in another process is reached. The zero value is the default.
type RemoteOptions struct {
	Timeout   time.Duration // of a question; 0: 5 seconds
	Ignorable bool          // a plugin that does not answer is skipped, as if it had no objection
	TLS       RemoteTLS
}

// RemoteTLS are the settings of a TLS connection: PEM files, and how the server is verified.
type RemoteTLS struct {
	Insecure   bool   // do not verify the server's certificate
	ServerName string // the name in the certificate; empty: that of the address
	CAFile     string // empty: the authorities that the system trusts
	CertFile   string // with KeyFile: for servers that verify their clients
	KeyFile    string
}

// RegisterRemote adds the plugin of this name that another process provides at an address: "unix:PATH",
// "tcp:HOST:PORT" or "tls:HOST:PORT", a connection that stays open, or "http://...", "https://..." or
// "http+unix:PATH", an HTTP POST for each question. docs/plugin_protocol.md describes what is spoken there. The
// plugin is asked at once which extension points it implements; no process is started.
//
//	err := registry.RegisterRemote("Quiet", "unix:/run/quiet.sock", libsched.RemoteOptions{})
//
// Errors: ErrUnsupported (there is no libsched-net.so), ErrExists, ErrInvalid (the address, or what the plugin
// says of itself), ErrIO and ErrDeadline (the plugin cannot be reached).
func (r *Registry) RegisterRemote(name, address string, options RemoteOptions) error {
	ptr, err := r.lock()
	if err != nil {
		return err
	}
	defer r.unlock()
	texts := []string{name, address, options.TLS.ServerName, options.TLS.CAFile, options.TLS.CertFile, options.TLS.KeyFile}
	var lengths [6]C.size_t
	for i, text := range texts {
		lengths[i] = C.size_t(len(text))
	}
	all := strings.Join(texts, "") + "\x00"
	var failure *C.libsched_error
	rc := C.lsgo_net_register(ptr, (*C.char)(unsafe.Pointer(unsafe.StringData(all))), &lengths[0],
		C.bool(options.Ignorable), C.bool(options.TLS.Insecure), C.int64_t(options.Timeout), &failure)
	return takeError(rc, failure)
}
