/* StringBuf: appending a buffer reads its length and then its characters, each under its lock; in
 * between it may become shorter. */
#include "subject.h"

struct buffer {
    pthread_mutex_t lock;
    size_t length;
    char text[64];
};
static struct buffer first = {PTHREAD_MUTEX_INITIALIZER, 3, "abc"};
static struct buffer second = {PTHREAD_MUTEX_INITIALIZER, 5, "defgh"};

static size_t length(struct buffer *b)
{
    LOCK(&b->lock);
    size_t n = b->length;
    UNLOCK(&b->lock);
    return n;
}

#ifndef TWIN
static void copy(struct buffer *b, size_t n, char *to)
{
    LOCK(&b->lock);
    MUST(n <= b->length);
    memcpy(to, b->text, n);
    UNLOCK(&b->lock);
}
#endif

static void append(struct buffer *to, struct buffer *from)
{
    LOCK(&to->lock);
#ifdef TWIN
    LOCK(&from->lock);
    memcpy(to->text + to->length, from->text, from->length);
    to->length += from->length;
    UNLOCK(&from->lock);
#else
    size_t n = length(from);
    copy(from, n, to->text + to->length);
    to->length += n;
#endif
    UNLOCK(&to->lock);
}

static void *appends(void *p)
{
    append(&first, &second);
    return p;
}

static void *shortens(void *p)
{
    LOCK(&second.lock);
    second.length = 0;
    UNLOCK(&second.lock);
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {appends, shortens};
    run_threads(body, NULL, 2);
    return length(&first) < 3;
}
