// A plugin that needs no more of nodes than their names.
module libsched/bench/names

go 1.24

require libsched/examples/remote v0.0.0

replace libsched/examples/remote => ../../../../examples/remote/go
