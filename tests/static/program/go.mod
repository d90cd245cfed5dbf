module libsched/tests/static

go 1.24

require libsched v0.0.0

replace libsched => ../../../go
