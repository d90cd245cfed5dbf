// Reference server of plugins in another process. It needs nothing but Go's library.
module libsched/examples/remote

go 1.24
