// A struct is copied while another thread changes its fields in three functions: three races with
// one cause.
// want: race at COPY SIZE
// want: race at COPY STATE
// want: race at COPY LAST
// causes: 1
#include "turns.h"
#include <stdlib.h>

struct job {
    int size, state;
    long name[20];
    long last;
};
struct job *job, copy;

void before(void) { job = calloc(1, sizeof *job); }

__attribute__((noinline)) static void set_size(void) { job->size = 1; /* SIZE */ }
__attribute__((noinline)) static void set_state(void) { job->state = 2; /* STATE */ }
__attribute__((noinline)) static void set_last(void) { job->last = 3; /* LAST */ }

void first(void)
{
    set_size();
    set_state();
    set_last();
}
void second(void) { copy = *job; /* COPY */ }
