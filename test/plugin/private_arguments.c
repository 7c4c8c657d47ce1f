// If an argument points to private variables of the caller in every call, the callee has no checks.
// If one call passes something else, or the callee's address is taken, it has checks.
// levels: O1 O2 O3
// never: step < walk
// never: walk <
// never: length <
// event: walk < main
// count: 2 shared < main
// count: 2 pointed < main
// want: kept < main
#include <stdio.h>
#include <string.h>

struct state {
    int moved, steps;
    char text[16];
};
struct other {
    int both;
};

__attribute__((noinline)) static void step(struct state *s, int by)
{
    s->moved += by;
    s->steps++;
}

__attribute__((noinline)) static int walk(struct state *s, int depth)
{
    step(s, depth);
    return depth ? walk(s, depth - 1) + 1 : s->moved;
}

/* The address is advanced in a loop. */
__attribute__((noinline)) static int length(const char *text)
{
    int n = 0;
    while (*text++ != '.')
        n++;
    return n;
}

__attribute__((noinline)) static void shared(struct other *o) { o->both++; }

__attribute__((noinline)) static void pointed(int *at) { *at = 1; }
static void (*volatile through)(int *) = pointed;

static int *volatile keeper;
__attribute__((noinline)) static int kept(int *at)
{
    keeper = at;
    return *at;
}

static struct other everybody;

int main(int argc, char **argv)
{
    struct state s;
    struct other mine = {argc};
    int x = 0, y = argc;
    memset(&s, 0, sizeof s);
    strcpy(s.text, "four.");
    int way = walk(&s, 5) + length(s.text);
    shared(&mine);
    shared(&everybody);
    pointed(&x);
    through(&x);
    printf("%d %d %d %d %d %d\n", way, s.steps, mine.both, everybody.both, x, kept(&y));
    return 0;
}
