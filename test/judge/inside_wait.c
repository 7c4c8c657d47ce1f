// The other order is possible: time passes while the main thread is held.
// judge: x output-differs
#define SHOW(value) printf("%d\n", value)
#include "inside_wait.h"
