// --watch: what library functions store through a pointer is checked against the bounds of its
// object.
// flags: -w
// case: record --watch -- {join,timedjoin,read,recv,scanf,fgets,getline,time,strtol,pipe,thrd_join}
// stdin: 1234567890
// exit: 66
#define OBJECT int s = 0, *volatile p = &s
#define P (p)
#define SMALL char *q = malloc(2)
#include "part/library_results.h"
