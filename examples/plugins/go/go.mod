// A plugin in Go, built against the module of this checkout.
module libsched/examples/plugin

go 1.24

require libsched v0.0.0

replace libsched => ../../../go
