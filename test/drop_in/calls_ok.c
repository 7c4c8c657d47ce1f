// want: none
// A release and an acquire order two ranges that the program announces.
#define ORDER RELEASE
#include "calls.h"
