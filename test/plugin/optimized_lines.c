// Accesses that the optimizer hoists, sinks, merges, splits or promotes keep a line of the source,
// and globals that it splits or narrows keep their names.
// lines: as at O0
// event: read 4 limit optimized_lines.c:28 hoisted_load < main
// event: write 4 total optimized_lines.c:35 promoted_store < main
// event: read 4 other optimized_lines.c:62 hoisted_from_branches
// event: write 4 shared optimized_lines.c:50 merged_branches
// event O2: read 4 other optimized_lines.c:62 hoisted_from_branches (merged with 64) < main
// event O2: write 4 shared optimized_lines.c:50 merged_branches (merged with 53) < main
// no event: the.
// no event: 4 s.
// no event: .c:0
#include <stdio.h>
#include <stdlib.h>
int limit = 10, total, flag, shared, other, sum, n_calls;
int table[16];
struct pair { int first, second; } p = {1, 2};
struct node { int value; struct node *next; } nodes[3];
static int mode = 3;
static struct { int a, b; int c[4]; } s;
__attribute__((noinline)) void touch(void *q) { __asm__ volatile("" ::"r"(q) : "memory"); }

__attribute__((noinline)) int hoisted_load(int *q, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += q[i] *
             limit;
    return r;
}

__attribute__((noinline)) void promoted_store(int n)
{
    for (int i = 0; i < n; i++)
        total +=
            i;
}

__attribute__((noinline)) void promoted_store_two_lines(int n)
{
    for (int i = 0; i < n; i++) {
        sum += i;
        sum ^= 3;
    }
}

__attribute__((noinline)) int merged_branches(int c)
{
    if (c > 3) {
        shared = c;
        return shared + 7;
    } else {
        shared = c + 1;
        return shared + 9;
    }
}

__attribute__((noinline)) int hoisted_from_branches(int c, int d)
{
    int r;
    if (c)
        r = other + d;
    else
        r = other - d;
    return r;
}

__attribute__((noinline)) void sunk_stores(int c, struct pair *q)
{
    if (c)
        q->second = 5;
    else
        q->second = 6;
}

static int get(struct node *x) { return x->value; }
__attribute__((noinline)) int inlined_twice(struct node *x, int n)
{
    int r = get(x);
    for (int i = 0; i < n; i++)
        r += get(x->next) * i;
    return r;
}

__attribute__((noinline)) void merged_calls(int c)
{
    if (c)
        touch(&flag);
    else
        touch(&limit);
}

static int *the;
__attribute__((noinline)) int narrowed_global(int c)
{
    if (!the)
        the = malloc(8 * sizeof *the);
    the[c & 7] = c;
    return the[c & 7] + 1;
}

/* A loop whose load and store move to different places; a member of an array in a structure. */
__attribute__((noinline)) void both_ways(struct node *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (table[i])
            x->value +=
                limit;
        table[i] = other;
    }
}

__attribute__((noinline)) int switched(int c)
{
    switch (c) {
    case 0:
        return p.first + 1;
    case 1:
        return p.first + 2;
    case 7:
        return p.first * 3;
    default:
        return p.second;
    }
}

__attribute__((noinline)) int gvn(struct pair *q, int c)
{
    int r = q->first;
    if (c)
        r += q->first;
    touch(0);
    return r + q->first;
}

__attribute__((noinline)) int threaded(int c)
{
    int r = 0;
    if (flag)
        r = c;
    if (flag)
        r += other;
    return r;
}

__attribute__((noinline)) int split_global(int c)
{
    if (c > 100)
        mode = 4;
    s.a += c;
    s.b = s.a + mode;
    s.c[c & 3]++;
    return s.b + s.c[1];
}

int main(void)
{
    nodes[0].next = &nodes[1];
    touch(nodes);
    touch(&p);
    for (int i = 0; i < 2; i++) {
        int c = i * 7;
        flag = i;
        printf("%d\n", hoisted_load(table, 16));
        promoted_store(10);
        promoted_store_two_lines(10);
        printf("%d %d\n", merged_branches(c), hoisted_from_branches(c, 3));
        sunk_stores(c, &p);
        printf("%d\n", inlined_twice(nodes, 4));
        merged_calls(c);
        printf("%d %d %d\n", gvn(&p, c), threaded(c), split_global(c * 20));
        printf("%d %d\n", narrowed_global(c), switched(c));
        both_ways(nodes, 4);
    }
    return 0;
}
