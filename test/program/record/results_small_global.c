// --watch: what library functions store through a pointer is checked against the bounds of its
// object.
// flags: -w
// case: record --watch -- {join,timedjoin,read,recv,scanf,fgets,getline,time,strtol,pipe,thrd_join}
// stdin: 1234567890
// exit: 66
#define OBJECT static int s
#define P (&s)
#define SMALL char *q = malloc(2)
#include "part/library_results.h"
