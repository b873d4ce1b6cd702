#pragma once

namespace attrib::attrib_vm {

// Has the system give the first megabytes of memory that a run takes in large pages, where it gives such to those who
// ask: else a short run spends a tenth of its time on faults, one every 4 KiB. Takes no memory by itself. Does nothing
// in programs that are built without jemalloc.
void begin_with_large_pages();

}  // namespace attrib::attrib_vm
