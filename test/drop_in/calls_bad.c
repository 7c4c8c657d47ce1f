// want: race
// Two range accesses that the program announces are not ordered, because `flag` is relaxed.
#define ORDER RELAXED
#include "calls.h"
