// want: none
// A pair of words is published by cmpxchg16b in assembly. Moves before it load its registers.
#include "turns.h"
#include <stdbool.h>
#include <stdint.h>

struct pair {
    uint64_t word[2];
} __attribute__((aligned(16)));
struct pair at;
int payload;

static bool exchange(struct pair *target, struct pair *compare, const struct pair *set)
{
    bool done;
    __asm__ __volatile__("movq 0(%4), %%rax;"
                         "movq 8(%4), %%rdx;"
                         "lock cmpxchg16b %0; setz %1"
                         : "+m"(*target->word), "=q"(done)
                         : "b"(set->word[0]), "c"(set->word[1]), "r"(compare->word)
                         : "memory", "cc", "%rax", "%rdx");
    return done;
}

void first(void)
{
    payload = 1;
    if (!exchange(&at, &(struct pair){{0, 0}}, &(struct pair){{1, 2}}))
        __builtin_abort();
}

void second(void)
{
    if (!exchange(&at, &(struct pair){{1, 2}}, &(struct pair){{3, 4}}))
        __builtin_abort();
    payload++;
}
