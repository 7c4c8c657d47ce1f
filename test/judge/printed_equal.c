// The orders print two different formulas, which are equal for every input. Twin of printed_mask.
// judge: chosen k-witness-harmless
// evidence: chosen both orders print the same for every input
// flags: --symbolic
// levels: O2
// args: 4
#define FIRST ((number & 0xf0f0f0f0u) + (number & 0x0f0f0f0fu))
#define SECOND ((number & 0xff00ff00u) | (number & 0x00ff00ffu))
#include "printed_mask.h"
