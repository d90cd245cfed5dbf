//go:build !k131 && !k132 && !k133 && !k134 && !k135 && !k137

package main

import (
	"libsched.dev/tests/oracle/celspec"
	"libsched.dev/tests/oracle/documents"
	"libsched.dev/tests/oracle/extender"
	"libsched.dev/tests/oracle/generate"
	"libsched.dev/tests/oracle/peer"
	"libsched.dev/tests/oracle/tables"
)

// The generator, the recorders and the programs that measure are in the oracle of one release alone:
// the cases that it makes are read by all.
func init() {
	modes["extender"] = gated(extender.Run)
	for name, c := range map[string]command{
		"gen":       {"-kind K -seed N", generate.Command},
		"live":      {"[flags]", peer.Live},
		"tables":    {"[flags]", tables.Command},
		"metrics":   {"GATES", tables.MetricsCommand},
		"celspec":   {"", func([]string) error { return celspec.Command() }},
		"documents": {"", documents.Command},
		"bench":     {"[flags]", peer.Bench},
	} {
		commands[name] = c
	}
}
