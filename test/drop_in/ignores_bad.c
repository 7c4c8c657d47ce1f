// want: ignores-at-thread-end
// text: #0 AnnotateIgnoreReadsBegin
// tsan: reports it without the word WARNING
// A thread ends in a region in which its reads are ignored.
#include <pthread.h>

void AnnotateIgnoreReadsBegin(const char *file, int line);

static void *ignore(void *arg)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ignore, NULL);
    pthread_join(t, NULL);
    return 0;
}
