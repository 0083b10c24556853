// Mapped pages that are not there: touching a page that a file has lost, or that a full disk cannot take, is a signal.
#pragma once

void watch_for_faults();

// Whether a mapped page was not there since the last call.
bool fault_happened();
