// The other end of the ping-pong that plugins in other processes are measured against.
module libsched/bench/echo

go 1.24
