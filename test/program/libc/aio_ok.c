// Asynchronous I/O through pipes: accesses before a write are ordered before those after the read,
// whichever thread sees its completion.
// want: none
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

int there, back, buffer, to[2], from[2];

static void wait_for(struct aiocb *a)
{
    const struct aiocb *list[] = {a};
    while (aio_error(a) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    assert(aio_return(a) == 1);
}
static void *work(void *arg)
{
    char c = 0;
    struct aiocb out = {.aio_fildes = to[1], .aio_buf = "x", .aio_nbytes = 1};
    struct aiocb in = {
        .aio_fildes = from[0], .aio_buf = &c, .aio_nbytes = 1, .aio_lio_opcode = LIO_READ};
    struct aiocb *list[] = {&in};
    there = 1;
    assert(aio_write(&out) == 0);
    wait_for(&out);
    assert(lio_listio(LIO_WAIT, list, 1, NULL) == 0 && aio_return(&in) == 1);
    back++;
    buffer += c == 'y';
    return arg;
}
int main(void)
{
    pthread_t t;
    char c = 0;
    assert(!pipe(to) && !pipe(from));
    pthread_create(&t, NULL, work, NULL);
    struct aiocb in = {.aio_fildes = to[0], .aio_buf = &c, .aio_nbytes = 1};
    assert(aio_read(&in) == 0);
    wait_for(&in);
    assert(c == 'x');
    there++;
    back = 1;
    assert(write(from[1], "y", 1) == 1);
    pthread_join(t, NULL);
    return there + back + buffer != 5;
}
