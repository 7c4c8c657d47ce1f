// The twin of message_passing.c: a store buffer keeps the order of the stores.
// options: --memory tso
// judge: message single-ordering
// judge: ready k-witness-harmless
// evidence: message all choices under these schedules explored
#include "message_passing.h"
