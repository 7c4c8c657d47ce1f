// Message passing: on weak memory the reader may see the flag and an old message. With sequential
// consistency the flag orders the two accesses.
// options: --memory weak
// judge: message spec-violated
// judge: ready k-witness-harmless
// reason: message only with memory model weak: assertion failed
// evidence: message reads message
#include "message_passing.h"
