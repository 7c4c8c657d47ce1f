// Two threads that announce themselves and then look for the other one: with store buffers both may
// see nobody. In the recording the first thread has looked before the second one announces itself,
// so the race on `first` shows it.
// options: --memory tso
// judge: first spec-violated
// reason: first only with memory model tso: assertion failed
// evidence: first reads first
#include "store_buffering.h"
