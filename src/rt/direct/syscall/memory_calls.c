/*
 * memory_calls.c - system calls that change the address space. A replay makes the same mappings at
 * the same addresses.
 *
 * In a replay, a mapping of a file becomes an anonymous mapping with the bytes that the file had
 * when it was mapped: the file may have changed or disappeared since, and a replay must not write
 * to it. Up to WHOLE_MAX bytes are stored in the log, so that the clip is self-contained. For
 * larger files the log holds the path and a hash of the bytes, and a replay reports a divergence if
 * the file has changed.
 *
 * MADV_FREE lets the kernel discard pages at any time, which cannot be replayed; it is performed as
 * MADV_DONTNEED, in recording and replay.
 */
#define _GNU_SOURCE
#include "mappings.h"
#include "red_zone.h"
#include "syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#define WHOLE_MAX (16ull << 20) /* bytes of a mapped file that a clip contains */
#define PART (1u << 20) /* files are read in parts of this size */

enum { MAP_BYTES, MAP_REFERENCE };
struct reference { /* payload of a MAP_REFERENCE record; the path follows */
    uint64_t hash, bytes, offset;
} __attribute__((packed));

/* The kernel mapped or unmapped this memory: clears the marks of the allocator. */
static void memory_changed(long at, long size)
{
    if (size > 0)
        pf_red_zone_clear((uintptr_t)at, (size_t)size);
}

/* --- ranges that map files, and ranges that are shared --- */

#define RANGES 64 /* the oldest one is replaced */
struct ranges {
    struct {
        uint64_t begin, end;
    } at[RANGES];
    uint32_t next;
};
static struct ranges files, shared;

static void note(struct ranges *r, uint64_t begin, uint64_t size)
{
    r->at[r->next % RANGES].begin = begin;
    r->at[r->next++ % RANGES].end = begin + size;
}
static bool overlaps(const struct ranges *r, uint64_t begin, uint64_t size)
{
    for (uint32_t i = 0; i < RANGES; i++)
        if (r->at[i].begin < begin + size && begin < r->at[i].end)
            return true;
    return false;
}
static void forget(struct ranges *r, uint64_t begin, uint64_t size)
{
    for (uint32_t i = 0; i < RANGES; i++)
        if (r->at[i].begin >= begin && r->at[i].end <= begin + size)
            r->at[i].begin = r->at[i].end = 0;
}

bool pf_memory_is_shared(uint64_t at) { return overlaps(&shared, at, 1); }
bool pf_memory_any_shared(void) { return overlaps(&shared, 1, UINT64_MAX - 1); }

/* --- the bytes of a file --- */

static void *part_room(void)
{
    static void *room;
    if (!room)
        room = pf_sys_map(NULL, PART);
    return room;
}

static uint64_t hash_file(int fd, uint64_t offset, uint64_t bytes)
{
    uint64_t h = 0;
    const uint64_t *words = part_room();
    for (uint64_t at = 0; words && at < bytes;) {
        uint64_t n = bytes - at < PART ? bytes - at : PART;
        long r = pf_sys(SYS_pread64, fd, words, n, offset + at);
        if (r <= 0)
            break;
        for (long i = 0; i < r / 8; i++)
            h = pf_input_hash_word(h, words[i]);
        at += (uint64_t)r;
    }
    return h;
}

static size_t path_of(int fd, char *to, size_t room)
{
    struct pf_fd_link link = pf_fd_link(fd);
    long n = pf_sys(SYS_readlink, link.path, to, room - 1);
    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n + 1 : 1;
}

static void log_file(long number, int fd, uint64_t offset, uint64_t length)
{
    struct stat st = {0};
    char *room = part_room();
    pf_sys(SYS_fstat, fd, &st);
    uint64_t size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    uint64_t bytes = size <= offset ? 0 : size - offset < length ? size - offset : length;
    if (!S_ISREG(st.st_mode))
        pf_input_doubt("memory mapped from a device");
    if (bytes > WHOLE_MAX || !room) {
        struct {
            struct reference r;
            char path[4096];
        } ref = {{hash_file(fd, offset, bytes), bytes, offset}, ""};
        size_t n = path_of(fd, ref.path, sizeof ref.path);
        pf_input_put(PF_INPUT_MAP, number, MAP_REFERENCE, &ref, sizeof ref.r + n);
        return;
    }
    pf_input_put_header(PF_INPUT_MAP, number, MAP_BYTES, bytes, PF_INPUT_ANYWHERE);
    for (uint64_t at = 0; at < bytes;) {
        uint64_t n = bytes - at < PART ? bytes - at : PART;
        long r = pf_sys(SYS_pread64, fd, room, n, offset + at);
        /* the file has become shorter: memory past its end reads as zero, or faults */
        if (r <= 0) {
            pf_zero(room, n);
            r = (long)n;
        }
        pf_ring_put(PF_STREAM_INPUT, room, (size_t)r);
        at += (uint64_t)r;
    }
}

static void fill_from_reference(const struct pf_input *in, uint64_t at, uint64_t length)
{
    struct reference ref;
    pf_input_copy(in, &ref, sizeof ref);
    const char *path = (const char *)pf_input_payload(in) + sizeof ref;
    if (in->bytes == sizeof ref || path[in->bytes - sizeof ref - 1] || ref.bytes > length)
        pf_diverged("invalid file reference for a mapping in the recording", length, ref.bytes);
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        pf_direct_say(path);
        pf_diverged("the file that the recording maps cannot be opened", 0, (uint64_t)-fd);
    }
    uint64_t now = hash_file((int)fd, ref.offset, ref.bytes);
    if (now != ref.hash) {
        pf_direct_say(path);
        pf_diverged("the file that the recording maps has changed", ref.hash, now);
    }
    for (uint64_t done = 0; done < ref.bytes;) {
        long r = pf_sys(SYS_pread64, fd, at + done, ref.bytes - done, ref.offset + done);
        if (r <= 0)
            break;
        done += (uint64_t)r;
    }
    pf_sys(SYS_close, fd);
}

/* --- mmap --- */

static void map_again(uint64_t at, const long a[6], long prot, bool fixed)
{
    long flags = (a[3] & (MAP_NORESERVE | MAP_STACK | MAP_GROWSDOWN)) | MAP_PRIVATE |
                 MAP_ANONYMOUS | (fixed ? MAP_FIXED : MAP_FIXED_NOREPLACE);
    long r = pf_sys(SYS_mmap, at, a[1], prot, flags, -1, 0);
    if ((uint64_t)r != at)
        pf_diverged("memory cannot be mapped at the recorded address", at, (uint64_t)r);
}

static void fill(long number, uint64_t at, const long a[6])
{
    const struct pf_input *in = pf_input_get(PF_INPUT_MAP, number);
    if (in->result == MAP_REFERENCE)
        fill_from_reference(in, at, (uint64_t)a[1]);
    else
        pf_input_copy(in, (void *)at, in->bytes < (uint64_t)a[1] ? in->bytes : (size_t)a[1]);
    pf_sys(SYS_mprotect, at, a[1], a[2]);
}

static void mapped(long at, const long a[6])
{
    if ((a[3] & MAP_TYPE) != MAP_PRIVATE && a[2] & PROT_WRITE)
        note(&shared, (uint64_t)at, (uint64_t)a[1]);
    memory_changed(at, a[1]);
}

long pf_call_mmap(long number, const long a[6])
{
    bool of_file = !(a[3] & MAP_ANONYMOUS);
    if (pf_recording()) {
        if (of_file && a[2] & PROT_WRITE && (a[3] & MAP_TYPE) != MAP_PRIVATE)
            pf_input_doubt("writable shared mapping of a file (mmap)");
        long r = pf_perform(number, a);
        pf_input_put(PF_INPUT_CALL, number, r, NULL, 0);
        if (!pf_sys_failed(r) && of_file) {
            log_file(number, (int)a[4], (uint64_t)a[5], (uint64_t)a[1]);
            note(&files, (uint64_t)r, (uint64_t)a[1]);
        }
        if (!pf_sys_failed(r))
            mapped(r, a);
        return r;
    }
    long r = (long)pf_input_get(PF_INPUT_CALL, number)->result;
    if (pf_sys_failed(r))
        return r;
    map_again((uint64_t)r, a, of_file ? PROT_READ | PROT_WRITE : a[2], a[3] & MAP_FIXED);
    if (of_file)
        fill(number, (uint64_t)r, a);
    mapped(r, a);
    return r;
}

static long log_or_compare(long number, long now)
{
    if (pf_recording()) {
        pf_input_put(PF_INPUT_CALL, number, now, NULL, 0);
        return now;
    }
    long r = (long)pf_input_get(PF_INPUT_CALL, number)->result;
    if (r != now)
        pf_diverged("different result of a memory system call", (uint64_t)r, (uint64_t)now);
    return r;
}

long pf_call_munmap(long number, const long a[6])
{
    long r = log_or_compare(number, pf_perform(number, a));
    if (r == 0) {
        forget(&files, (uint64_t)a[0], (uint64_t)a[1]);
        forget(&shared, (uint64_t)a[0], (uint64_t)a[1]);
        memory_changed(a[0], a[1]);
    }
    return r;
}

long pf_call_brk(long number, const long a[6])
{
    static long end;
    long was = end;
    end = log_or_compare(number, pf_perform(number, a));
    if (was)
        memory_changed(was < end ? was : end, was < end ? end - was : was - end);
    return end;
}

long pf_call_mremap(long number, const long a[6])
{
    if (pf_recording()) {
        if (overlaps(&files, (uint64_t)a[0], (uint64_t)a[1]))
            pf_input_doubt("file mapping resized or moved (mremap)");
        long r = log_or_compare(number, pf_perform(number, a));
        if (!pf_sys_failed(r))
            memory_changed(r, a[2]);
        return r;
    }
    const struct pf_input *in = pf_input_get(PF_INPUT_CALL, number);
    long r = (long)in->result, flags = a[3];
    if (pf_sys_failed(r))
        return r;
    if (r != a[0])
        flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
    long now = pf_sys(SYS_mremap, a[0], a[1], a[2], flags, r);
    if (now != r)
        pf_diverged("memory cannot be moved to the recorded address", (uint64_t)r, (uint64_t)now);
    memory_changed(r, a[2]);
    return r;
}

/* glibc discards the unused part of a thread's stack when the thread ends. If the range is such a
 * part, that is, below the stack pointer in the stack of the current thread: returns where it
 * begins, without the guard page. Otherwise returns 0. */
static long in_own_stack(long from, long to)
{
    uint64_t sp = (uint64_t)pf_context_self()->trap->uc_mcontext.gregs[REG_RSP];
    const struct pf_mapping *stack = pf_mapping_find((uint64_t)to - 1);
    const struct pf_mapping *first = pf_mapping_find((uint64_t)from);
    if ((uint64_t)from % PF_PAGE || from >= to || (uint64_t)to > sp || !stack || sp >= stack->hi ||
        stack->shared || !first)
        return 0;
    if (first == stack)
        return from;
    return first->hi == stack->lo && !first->writable ? (long)stack->lo : 0;
}

long pf_call_madvise(long number, const long a[6])
{
    const long b[6] = {a[0], a[1], a[2] == MADV_FREE ? MADV_DONTNEED : a[2], 0, 0, 0};
    bool drops = b[2] == MADV_DONTNEED || b[2] == MADV_REMOVE;
    if (!drops)
        return pf_syscall_plain(number, b);
    if (overlaps(&files, (uint64_t)a[0], (uint64_t)a[1]))
        pf_input_doubt("file mapping discarded (madvise)");
    long stack = pf_rewind_on ? in_own_stack(a[0], a[0] + a[1]) : 0;
    if (stack) {
        pf_sys_discard((void *)stack, (size_t)(a[0] + a[1] - stack));
        return log_or_compare(number, 0);
    }
    return log_or_compare(number, pf_perform(number, b));
}

/* --- System V --- */

#define SEGMENTS 32 /* attached at the same time */
static struct {
    long at, size;
} segments[SEGMENTS];

static void note_segment(long at, long size)
{
    for (int i = 0; i < SEGMENTS; i++)
        if (!segments[i].at) {
            segments[i].at = at;
            segments[i].size = size;
            return;
        }
}

long pf_call_shmat(long number, const long a[6])
{
    const struct pf_input *in;
    long r, size = 0;
    if (pf_recording()) {
        struct shmid_ds d = {0};
        pf_input_doubt("memory shared with other processes (shmat)");
        r = pf_perform(number, a);
        pf_input_put(PF_INPUT_CALL, number, r, NULL, 0);
        if (pf_sys_failed(r))
            return r;
        if (pf_sys(SYS_shmctl, a[0], IPC_STAT, &d) == 0)
            size = (long)d.shm_segsz;
        pf_input_put(PF_INPUT_MAP, number, MAP_BYTES, (void *)r, (size_t)size);
    } else {
        r = (long)pf_input_get(PF_INPUT_CALL, number)->result;
        if (pf_sys_failed(r))
            return r;
        in = pf_input_get(PF_INPUT_MAP, number);
        size = in->bytes;
        const long map[6] = {r, size, PROT_READ | PROT_WRITE, 0, -1, 0};
        map_again((uint64_t)r, map, PROT_READ | PROT_WRITE, false);
        pf_copy((void *)r, pf_input_payload(in), (size_t)size);
    }
    note_segment(r, size);
    note(&shared, (uint64_t)r, (uint64_t)size);
    memory_changed(r, size);
    return r;
}

long pf_call_shmdt(long number, const long a[6])
{
    long r = pf_recording() ? pf_perform(number, a) : pf_input_get(PF_INPUT_CALL, number)->result;
    if (pf_recording())
        pf_input_put(PF_INPUT_CALL, number, r, NULL, 0);
    for (int i = 0; i < SEGMENTS && r == 0; i++)
        if (segments[i].at == a[0]) {
            if (!pf_recording())
                pf_sys(SYS_munmap, a[0], segments[i].size);
            forget(&shared, (uint64_t)a[0], (uint64_t)segments[i].size);
            segments[i].at = 0;
            break;
        }
    return r;
}
