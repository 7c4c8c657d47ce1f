// want: race
// Two ranges that the program announces are not ordered: the store is relaxed.
#define ORDER RELAXED
#include "calls.h"
