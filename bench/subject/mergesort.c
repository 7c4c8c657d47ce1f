/* MergeSort: a new thread sorts one half while threads are available; the count has no lock. */
#include "subject.h"

enum { N = 64, THREADS = 5 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value[N], spare[N], threads_left = THREADS;

struct part {
    int from, to;
};

static int take_thread(void)
{
    int got = 0;
    TWIN_LOCK(&lock);
    if (threads_left > 0) {
        threads_left--;
        got = 1;
    }
    TWIN_UNLOCK(&lock);
    return got;
}

static void *sort(void *p)
{
    struct part a = *(struct part *)p;
    if (a.to - a.from < 2)
        return NULL;
    int middle = (a.from + a.to) / 2, i = a.from, j = middle;
    struct part left = {a.from, middle}, right = {middle, a.to};
    pthread_t t;
    int forked = a.to - a.from >= 8 && take_thread();
    if (forked)
        pthread_create(&t, NULL, sort, &left);
    else
        sort(&left);
    sort(&right);
    if (forked)
        pthread_join(t, NULL);
    for (int k = a.from; k < a.to; k++)
        spare[k] = j >= a.to || (i < middle && value[i] <= value[j]) ? value[i++] : value[j++];
    memcpy(value + a.from, spare + a.from, (size_t)(a.to - a.from) * sizeof *value);
    return NULL;
}

int main(void)
{
    struct part all = {0, N};
    for (int i = 0; i < N; i++)
        value[i] = i * 37 % N;
    sort(&all);
    for (int i = 1; i < N; i++)
        MUST(value[i - 1] <= value[i]);
    MUST(threads_left >= 0);
    return 0;
}
