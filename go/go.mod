// The path names no host: use it with a replace directive or a workspace (README.md).
module libsched

go 1.24
