// Twin of inside_wait: the value is not printed.
// judge: x k-witness-harmless
#define SHOW(value) ((void)(value))
#include "inside_wait.h"
