/* pinned_answers.c - see pinned_answers.h. */
#define _GNU_SOURCE
#include "pinned_answers.h"
#include "answer_table.h"
#include "fnv.h"
#include "stream_ring.h"
#include "syscalls.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>

static struct pf_answer_table *table;

bool pf_pins_map(const char *path)
{
    long fd = pf_sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0);
    long at = fd < 0 ? -1 : pf_sys_map_file((int)fd, sizeof *table, true);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (pf_sys_failed(at))
        return false;
    table = (struct pf_answer_table *)at;
    return true;
}

void pf_pins_map_in(const char *folder)
{
    char path[sizeof((struct pf_channel *)0)->folder + sizeof "/" PF_ANSWER_FILE];
    size_t n = 0;
    for (const char *s = folder; *s && n + sizeof "/" PF_ANSWER_FILE < sizeof path; s++)
        path[n++] = *s;
    pf_copy(path + n, "/" PF_ANSWER_FILE, sizeof "/" PF_ANSWER_FILE);
    (void)pf_pins_map(path);
}

/* Tells pf that this run got an answer that other runs may not get. */
static void note_live(long number)
{
    struct pf_channel *c = pf_channel_get();
    if (!c)
        return;
    for (uint32_t i = 0; i < c->nlive; i++)
        if (c->live[i] == (uint16_t)number)
            return;
    if (c->nlive < PF_LIVE_MAX)
        c->live[c->nlive++] = (uint16_t)number;
}

/* --- keys --- */

/* A hash of how the thread was created, which is the same in all runs. */
static uint64_t origin_of(const struct pf_context *c)
{
    uint64_t h = PF_FNV_START;
    for (; c && c->number; c = pf_context_at(c->parent))
        h = pf_fnv_number(h, c->birth_index + 1);
    return h;
}

/* How many arguments key_of looks at; those after them are addresses or unused. */
static uint32_t arguments_of(long number)
{
    switch (number) {
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_getrusage:
    case SYS_clock_gettime:
    case SYS_getsockname:
    case SYS_getpeername:
        return 1;
    case SYS_times:
    case SYS_sysinfo:
    case SYS_getcpu:
    case SYS_getppid:
        return 0;
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_sendto:
    case SYS_recvfrom:
        return 4;
    case SYS_shutdown:
        return 2;
    default:
        return 3;
    }
}

static uint64_t key_of(long number, const long a[6])
{
    uint32_t n = arguments_of(number);
    struct pf_syscall_state *s = pf_syscall_state_self();
    uint64_t h = pf_fnv_number(origin_of(pf_context_self()), (uint64_t)number);
    h = pf_fnv_number(h, s->pinned++);
    /* argument 0 is a descriptor, whose number may differ between runs, except in these calls */
    uint32_t first =
        number != SYS_getrandom && number != SYS_getrusage && number != SYS_clock_gettime;
    for (uint32_t i = first; i < n; i++) /* addresses may differ, too */
        h = pf_fnv_number(h, (uint64_t)a[i] >> 32 ? 0 : (uint64_t)a[i]);
    return h ? h : 1;
}

/* --- which calls are answered from outside --- */

/* True for files whose contents the kernel generates when they are read. */
static bool is_generated(int fd, const struct stat *st)
{
    struct statfs fs;
    if (st->st_size && st->st_size != 4096)
        return false;
    if (pf_sys(SYS_fstatfs, fd, &fs) != 0)
        return false;
    return fs.f_type == 0x9fa0 /* proc */ || fs.f_type == 0x62656572 /* sysfs */ ||
           fs.f_type == 0x63677270 /* cgroup2 */;
}

/* True if the bytes that can be read from the descriptor come from outside the program. */
static bool is_source(int fd)
{
    struct stat st;
    if (pf_sys(SYS_fstat, fd, &st) != 0)
        return false;
    if (S_ISCHR(st.st_mode))
        return pf_direct.exploring || pf_is_random_device(&st);
    if (S_ISREG(st.st_mode))
        return is_generated(fd, &st);
    return pf_direct.exploring && pf_outside_descriptor(fd);
}

/* Calls that reach other processes. */
static bool reaches_others(long number, const long a[6])
{
    switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_shutdown:
    case SYS_getsockname:
    case SYS_getpeername:
    case SYS_getsockopt:
        return pf_outside_descriptor((int)a[0]) || pf_outside_reached(number, a);
    case SYS_connect:
        return pf_outside_reached(number, a);
    case SYS_accept:
    case SYS_accept4:
        return true; /* the answer is kept only if the peer is another process */
    default:
        return false;
    }
}

/* True if the answer is to be the same in all runs. Calls that reach other processes count only in
 * an exploration. The runs that pf judge compares (pf_pins_map_in) perform them, because what the
 * other process answers may depend on what the run did before. */
static bool is_answered_outside(long number, const long a[6])
{
    switch (number) {
    case SYS_getrandom:
    case SYS_getrusage:
    case SYS_times:
    case SYS_sysinfo:
    case SYS_getcpu:
    case SYS_getppid:
        return true;
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
        return is_source((int)a[0]);
    default:
        return pf_direct.exploring && reaches_others(number, a);
    }
}

/* --- calls --- */

/* Makes fd a descriptor that stands for a connection to another process. */
static void stand_in(long fd)
{
    long s = pf_sys(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && s != fd) {
        pf_sys(SYS_dup3, s, fd, O_CLOEXEC);
        pf_sys(SYS_close, s);
    }
    pf_outside_add((int)fd);
}

static void put_record(const struct pf_input *in)
{
    pf_input_put(PF_INPUT_CALL, in->number, in->result, pf_input_payload(in), in->bytes);
}

bool pf_pin_begin(struct pf_pin *p, long number, const long a[6], long *result)
{
    p->key = 0;
    if (!table || !is_answered_outside(number, a))
        return false;
    p->key = key_of(number, a);
    const struct pf_pinned *known = pf_answer_find(table, p->key);
    if (!known) {
        if (number == SYS_connect)
            pf_outside_check(number, a); /* may end the run */
        return false;
    }
    *result = pf_syscall_writes_replay(number, a, &known->record);
    put_record(&known->record);
    if ((number == SYS_accept || number == SYS_accept4) && *result >= 0)
        stand_in(*result);
    if (number == SYS_connect)
        pf_outside_add((int)a[0]);
    return true;
}

static void keep(uint64_t key, const struct pf_input *in)
{
    struct pf_pinned *room = pf_answer_room(table, in->bytes);
    if (room) {
        room->key = key;
        room->record = *in;
        pf_copy(&room->record + 1, pf_input_payload(in), in->bytes);
    }
    bool added = room && pf_answer_add(table, room);
    if (!added || !table->recording)
        note_live(in->number);
}

void pf_pin_end(const struct pf_pin *p, long number, const long a[6], long result)
{
    if (!p->key)
        return;
    if (number == SYS_connect && (result == 0 || result == -EINPROGRESS))
        pf_outside_add((int)a[0]);
    if (number == SYS_accept || number == SYS_accept4) {
        if (result < 0 || !pf_outside_peer((int)result))
            return;
        pf_outside_add((int)result);
    }
    const struct pf_input *in = pf_input_newest();
    if (in)
        keep(p->key, in);
}

/* Only runs of an exploration record clock reads; in the replay of any other run there is no
 * record. */
static void replay_clock(uint64_t *value)
{
    const struct pf_input *in = pf_input_peek();
    if (!in || in->kind != PF_INPUT_CALL || in->number != SYS_clock_gettime ||
        in->context != pf_context_number(pf_context_self()))
        return;
    *value = (uint64_t)in->result;
    pf_input_skip();
}

void pf_input_clock(int clock, uint64_t *value)
{
    const long a[6] = {clock};
    if (!pf_recording())
        replay_clock(value);
    if (!table || !pf_direct.exploring)
        return;
    uint64_t key = key_of(SYS_clock_gettime, a);
    const struct pf_pinned *known = pf_answer_find(table, key);
    if (known)
        *value = (uint64_t)known->record.result;
    pf_input_put(PF_INPUT_CALL, SYS_clock_gettime, (int64_t)*value, NULL, 0);
    if (!known)
        keep(key, pf_input_newest());
}

void pf_pin_waits(const struct pf_pin *p, long number)
{
    if (table && pf_direct.exploring && !p->key)
        note_live(number | PF_LIVE_WAITS);
}

/* --- files --- */

/* The path that a call looks up, and the folder that it is relative to; NULL: another call. */
static const char *path_of(long number, const long a[6], long *folder)
{
    *folder = AT_FDCWD;
    switch (number) {
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink:
        return (const char *)a[0];
    case SYS_openat:
    case SYS_openat2:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlinkat:
        *folder = a[0];
        return (const char *)a[1];
    default:
        return NULL;
    }
}

void pf_pin_note_path(long number, const long a[6])
{
    long folder;
    struct stat st;
    const char *path = table && pf_direct.exploring ? path_of(number, a, &folder) : NULL;
    if (!path || !pf_sys_readable(path, 1) || !*path)
        return;
    long r = pf_sys(SYS_newfstatat, folder, path, &st, 0);
    uint64_t version = pf_fnv_number(PF_FNV_START, (uint64_t)r);
    uint64_t key = pf_fnv_text(pf_fnv_number(PF_FNV_START, (uint64_t)folder), path) | 1ull << 63;
    if (r == 0 && S_ISREG(st.st_mode)) {
        version = pf_fnv_number(pf_fnv_number(version, st.st_ino), (uint64_t)st.st_size);
        version = pf_fnv_number(version, (uint64_t)st.st_mtim.tv_sec);
        version = pf_fnv_number(version, (uint64_t)st.st_mtim.tv_nsec);
    }
    const struct pf_pinned *known = pf_answer_find(table, key);
    struct pf_pinned *room = known ? NULL : pf_answer_room(table, 0);
    if (room) {
        *room = (struct pf_pinned){key, {.number = (uint16_t)number, .result = (int64_t)version}};
        pf_answer_add(table, room);
        known = pf_answer_find(table, key);
    }
    if (!known || known->record.result != (int64_t)version)
        note_live(number);
}
