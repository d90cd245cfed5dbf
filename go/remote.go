package libsched

// #include "net_bridge.h"
import "C"

import "time"

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
	var pin pinned
	defer pin.Unpin()
	o := C.lsgo_remote_options{
		struct_size: C.sizeof_lsgo_remote_options, ignorable: C.bool(options.Ignorable),
		tls_insecure: C.bool(options.TLS.Insecure), timeout_ns: C.int64_t(options.Timeout),
		tls_server_name: pin.str(options.TLS.ServerName), tls_ca_file: pin.str(options.TLS.CAFile),
		tls_cert_file: pin.str(options.TLS.CertFile), tls_key_file: pin.str(options.TLS.KeyFile),
	}
	var failure *C.libsched_error
	rc := C.lsgo_net_register(ptr, str(name), str(address), &o, &failure)
	return takeError(rc, failure)
}
