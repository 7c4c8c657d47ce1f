/* Hedc: a kernel of a web crawler, with files instead of sockets. Workers take pages from a queue,
 * read them and follow their links; cancelling a task clears its page while a worker may use it.
 * */
#include "subject.h"

enum { PAGES = 6, WORKERS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

struct task {
    const char *page; /* NULL: cancelled */
    int done;
};
static struct task task[PAGES];
static int head, tail, busy, bytes;
static const char *const text[PAGES] = {"1 2", "3", "3 4", "5", "", "0"};

static int seen[PAGES];

static void enqueue(int n)
{
    if (n < 0 || n >= PAGES || seen[n])
        return;
    seen[n] = 1;
    task[tail++].page = text[n];
}

/* Writes and reads the bytes of the page through a file. */
static int fetch(const char *page)
{
    FILE *f = tmpfile();
    MUST(f);
    fputs(page, f);
    int n = (int)ftell(f);
    fclose(f);
    return n;
}

static void *worker(void *p)
{
    LOCK(&lock);
    for (;;) {
        while (head == tail && busy)
            pthread_cond_wait(&more, &lock);
        if (head == tail)
            break;
        struct task *t = &task[head++];
        busy++;
        UNLOCK(&lock);
        TWIN_LOCK(&lock);
        const char *page = NULL;
        if (t->page) {
            page = t->page;
            MUST(page);
        }
        TWIN_UNLOCK(&lock);
        int n = page ? fetch(page) : 0;
        LOCK(&lock);
        bytes += n;
        for (const char *s = page; s && *s; s++)
            if (*s >= '0' && *s <= '9')
                enqueue(*s - '0');
        t->done = 1;
        busy--;
        pthread_cond_broadcast(&more);
    }
    UNLOCK(&lock);
    return p;
}

static void *canceller(void *p)
{
    TWIN_LOCK(&lock);
    task[PAGES - 1].page = NULL;
    task[0].page = NULL;
    TWIN_UNLOCK(&lock);
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {worker, worker, canceller};
    enqueue(0);
    run_threads(body, NULL, WORKERS + 1);
    MUST(!busy);
    return bytes > 20;
}
