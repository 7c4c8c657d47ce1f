// The same calls with an object that is large enough are no errors.
// flags: -w
// case: record --watch -- {join,timedjoin,read,recv,scanf,fgets,getline,time,strtol,pipe,thrd_join}
// stdin: 1234567890
#define OBJECT long s = 0
#define P (&s)
#define SMALL int *q = malloc(4)
#include "part/library_results.h"
