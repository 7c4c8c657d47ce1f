// In this recording the consumer has ended when the producers race; in others it has not.
// judge: slot output-differs
// reason: slot with another schedule before the race
// levels: O2
// schedule: random:2
#include "shared_slot.c"
