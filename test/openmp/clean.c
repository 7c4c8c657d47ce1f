/* Every OpenMP construct that creates order, used correctly: no races. With an argument: without
 * tasks. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200 };
static int a[N], b[N], sum, crit, named, locked, nested, ordered, single, copied, tasks[N], flagged,
    flag;
static int depend_x, depend_y, groups, fib_calls, loop[N], across[N], master;
static double real;
static int *shared_block;

static int fib(int n)
{
    int x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static void regions(void)
{
    omp_lock_t l;
    omp_nest_lock_t nl;
    int c;
    omp_init_lock(&l);
    omp_init_nest_lock(&nl);
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp parallel for reduction(+ : sum, real) schedule(dynamic, 7)
    for (int i = 0; i < N; i++) {
        sum += a[N - 1 - i];
        real += 1;
    }
#pragma omp parallel private(c)
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        for (int i = me; i < N; i += all)
            b[i] = a[i];
#pragma omp barrier
        for (int i = N - 1 - me; i >= 0; i -= all)
            a[i] = b[N - 1 - i];
#pragma omp critical
        crit++;
#pragma omp critical(other)
        named++;
        omp_set_lock(&l);
        locked++;
        omp_unset_lock(&l);
        while (!omp_test_lock(&l))
            ;
        locked++;
        omp_unset_lock(&l);
        omp_set_nest_lock(&nl);
        omp_set_nest_lock(&nl);
        nested++;
        omp_unset_nest_lock(&nl);
        nested++;
        omp_unset_nest_lock(&nl);
#pragma omp single
        single++;
#pragma omp single copyprivate(c)
        c = 5;
#pragma omp critical
        copied += c;
#pragma omp master
        master++;
#pragma omp for ordered
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            ordered++;
        }
#pragma omp for ordered(1)
        for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
            across[i] = across[i - 1] + 1;
#pragma omp ordered depend(source)
        }
#pragma omp sections
        {
#pragma omp section
            {
                flagged = 1;
#pragma omp flush
#pragma omp atomic write
                flag = 1;
            }
#pragma omp section
            {
                int seen;
                do {
#pragma omp atomic read
                    seen = flag;
                } while (!seen && omp_get_num_threads() > 1);
                if (seen) {
#pragma omp flush
                    flagged++;
                }
            }
        }
    }
    omp_destroy_lock(&l);
    omp_destroy_nest_lock(&nl);
}

static void all_tasks(void)
{
    int f = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
            tasks[i] = i;
        }
#pragma omp taskwait
        for (int i = 0; i < N; i++)
            sum += tasks[i];
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                groups = 3;
            }
        }
        groups++;
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : depend_x)
            depend_x++;
#pragma omp task depend(in : depend_x) depend(inout : depend_y)
            depend_y += depend_x;
        }
#pragma omp taskwait
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < N; i++)
            loop[i] = depend_x >= 0 ? i : 0;
        f = fib(10);
    }
    fib_calls = f;
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
#pragma omp for
            for (int i = 0; i < N / 2; i++)
                shared_block[outer * (N / 2) + i]++;
        }
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    omp_set_max_active_levels(2);
    shared_block = calloc(N, sizeof *shared_block);
    for (int round = 0; round < 3; round++) {
        flag = 0;
        regions();
        if (argc == 1)
            all_tasks();
    }
    int total = 0;
    for (int i = 0; i < N; i++)
        total += a[i] + b[i] + tasks[i] + loop[i] + across[i] + shared_block[i];
    total += sum + crit + named + locked + nested + single + copied + master + ordered + flagged +
             groups + fib_calls;
    printf("%d %g\n", total, real);
    free(shared_block);
    return 0;
}
