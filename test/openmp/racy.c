/* Accesses that OpenMP does not order, one race each; the test looks for the marks. */
#include <omp.h>
#include <stdio.h>

enum { N = 1000 };
static int counter, no_wait[N], seen[N], task_done, half, other_lock;
static omp_lock_t a, b;

int main(void)
{
    omp_init_lock(&a);
    omp_init_lock(&b);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < N; i++)
        counter++; /* COUNTER */
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            no_wait[i] = i; /* WRITTEN */
#pragma omp for
        for (int i = 0; i < N; i++)
            seen[i] = no_wait[N - 1 - i]; /* READ */
    }
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        omp_set_lock(me ? &a : &b);
        other_lock++; /* LOCK */
        omp_unset_lock(me ? &a : &b);
        if (me) {
#pragma omp critical
            half++; /* CRITICAL */
        } else
            half++; /* BARE */
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task
            for (int k = 0; k < N; k++)
                task_done++; /* TASK */
        }
    }
    printf("done %d\n", counter + seen[1] + task_done + half + other_lock > 0);
    return 0;
}
