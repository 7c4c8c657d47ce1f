// Figure 6 with the other option: the index is read once. Twin of stats_overflow.
// judge: id k-witness-harmless
#include "stats.h"
