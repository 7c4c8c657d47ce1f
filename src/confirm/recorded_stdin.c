/* recorded_stdin.c - see recorded_stdin.h. */
#define _GNU_SOURCE
#include "recorded_stdin.h"
#include "input_record.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool put(int fd, const unsigned char *bytes, size_t n)
{
    for (ssize_t k; n; bytes += k, n -= (size_t)k)
        if ((k = write(fd, bytes, n)) <= 0)
            return false;
    return true;
}

/* Writes the payload of one read record: a length and the bytes. */
static bool put_read(int fd, const unsigned char *payload, size_t n)
{
    uint32_t length = 0;
    if (n >= sizeof length)
        memcpy(&length, payload, sizeof length);
    return n == sizeof length + length && put(fd, payload + sizeof length, length);
}

int pf_recorded_stdin_open(const struct pf_clip *recording)
{
    unsigned char *bytes = NULL;
    size_t n = 0, at = 0;
    int fd = -1;
    struct pf_error e;
    struct pf_input in;
    bool good = pf_clip_stream(recording, PF_STREAM_INPUT, &bytes, &n, &e) == PF_OK;
    for (; good && n - at >= sizeof in; at += in.bytes) {
        memcpy(&in, bytes + at, sizeof in);
        at += sizeof in;
        if (in.bytes > n - at)
            break; /* truncated record */
        if (in.kind != PF_INPUT_CALL || in.from != PF_INPUT_STANDARD)
            continue;
        if (fd < 0)
            fd = memfd_create("input", MFD_CLOEXEC);
        good = fd >= 0 && put_read(fd, bytes + at, in.bytes);
    }
    free(bytes);
    if (fd >= 0 && (!good || lseek(fd, 0, SEEK_SET))) {
        close(fd);
        fd = -1;
    }
    return fd;
}
