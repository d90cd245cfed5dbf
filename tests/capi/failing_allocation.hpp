// Selects the allocations of this thread that fail; failing_allocation_test.cpp has the
// allocator.
#pragma once

extern thread_local long left;      // allocations until one fails; 0: none does
extern thread_local bool for_ever;  // then all after it do, too
