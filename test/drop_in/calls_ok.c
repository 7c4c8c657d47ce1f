// want: none
// A release and an acquire order two range accesses that the program announces.
#define ORDER RELEASE
#include "calls.h"
