// Selects the allocations of this thread that fail; failing_allocation_test.cpp has the
// allocator.
#pragma once

extern thread_local long left;      // allocations until a failure; 0: none fails
extern thread_local bool for_ever;  // all later allocations fail as well
