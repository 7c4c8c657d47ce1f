// want: none
// All regions are ended.
#include <pthread.h>

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

static void *ignore(void *arg)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ignore, NULL);
    pthread_join(t, NULL);
    return 0;
}
