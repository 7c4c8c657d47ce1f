// Twin of clock_aside: the workers write different numbers, and the last one is printed.
// judge: last_error output-differs
// args: 6
#include "clock_aside.c"
