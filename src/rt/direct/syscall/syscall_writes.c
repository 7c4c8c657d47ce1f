/*
 * syscall_writes.c - the bytes that a system call wrote to the target's memory: stored in the log,
 * and restored from it.
 *
 * One walk over the memory ranges of a call serves both directions, so that they cannot disagree. A
 * range is logged as its length and its bytes. In a replay the address comes from the arguments,
 * which are the same unless the run has diverged, and length and bytes come from the log. While
 * recording, the walk is done twice, because the length of the record is stored before its
 * contents.
 */
#define _GNU_SOURCE
#include "syscall_writes.h"
#include "syscalls.h"
#include <asm/prctl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SOCKET_NAME_MAX 128 /* bytes */

struct walk {
    enum { MEASURE, PUT, GET } pass;
    long number, result;
    const long *argument;
    struct pf_lengths_before before;
    size_t bytes;        /* in pass MEASURE: bytes so far */
    const char *at, *end; /* in pass GET: the rest of the payload */
};

static uint32_t take_length(struct walk *w)
{
    uint32_t n = 0;
    if ((size_t)(w->end - w->at) >= sizeof n) {
        pf_copy(&n, w->at, sizeof n);
        w->at += sizeof n;
        if (n <= (size_t)(w->end - w->at))
            return n;
    }
    pf_diverged("a system call wrote other ranges than recorded", (uint64_t)w->number,
                (uint64_t)(w->end - w->at));
}

/* One range of n bytes at `to`; in pass GET the length comes from the log. NULL pointers are
 * skipped in every pass. */
static void add_range(struct walk *w, void *to, size_t n)
{
    uint32_t length = (uint32_t)n;
    if (!to)
        return;
    switch (w->pass) {
    case MEASURE:
        w->bytes += sizeof length + n;
        break;
    case PUT:
        pf_ring_put(PF_STREAM_INPUT, &length, sizeof length);
        if (n)
            pf_ring_put(PF_STREAM_INPUT, to, n);
        break;
    case GET:
        length = take_length(w);
        pf_copy(to, w->at, length);
        w->at += length;
        break;
    }
}

/* One range: the first n bytes of the buffers in a vector. */
static void scatter(struct walk *w, const struct iovec *v, size_t count, size_t n)
{
    uint32_t length = (uint32_t)n;
    if (w->pass == MEASURE) {
        w->bytes += sizeof length + n;
        return;
    }
    if (w->pass == PUT)
        pf_ring_put(PF_STREAM_INPUT, &length, sizeof length);
    else
        n = take_length(w);
    for (size_t i = 0; i < count && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        if (w->pass == PUT) {
            if (part)
                pf_ring_put(PF_STREAM_INPUT, v[i].iov_base, part);
        } else {
            pf_copy(v[i].iov_base, w->at, part);
            w->at += part;
        }
        n -= part;
    }
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* A received message: flags, sender's address, control data, contents. */
static void message(struct walk *w, struct msghdr *m, size_t bytes, size_t name_room,
                    size_t control_room)
{
    size_t whole = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++)
        whole += m->msg_iov[i].iov_len;
    add_range(w, &m->msg_flags, sizeof m->msg_flags);
    if (m->msg_name)
        add_range(w, m->msg_name, least(m->msg_namelen, name_room));
    add_range(w, &m->msg_namelen, sizeof m->msg_namelen);
    if (m->msg_control)
        add_range(w, m->msg_control, least(m->msg_controllen, control_room));
    add_range(w, &m->msg_controllen, sizeof m->msg_controllen);
    scatter(w, m->msg_iov, m->msg_iovlen, least(bytes, whole));
}

/* How many bytes an ioctl writes. The numbers of old requests do not contain a size. */
static size_t ioctl_bytes(unsigned long request)
{
    switch (request) {
    case 0x5401: /* TCGETS: size of the kernel's struct */
        return 36;
    case TCGETA:
        return 18;
    case TIOCGWINSZ:
    case SIOCGIFCONF:
        return request == TIOCGWINSZ ? 8 : 16;
    case TIOCGPGRP:
    case TIOCOUTQ:
    case TIOCMGET:
    case TIOCGSOFTCAR:
    case FIONREAD:
    case TIOCGETD:
    case TIOCGSID:
    case SIOCATMARK:
    case SIOCGPGRP:
    case 0x8903: /* FIOGETOWN */
        return 4;
    case 0x8906: /* SIOCGSTAMP */
    case 0x8907:
        return 16;
    case 0x1260: /* BLKGETSIZE */
        return 8;
    default:
        break;
    }
    if (request >= 0x8910 && request <= 0x8970)
        return 40; /* struct ifreq */
    if (request >> 30 & 2)
        return request >> 16 & 0x3fff;
    unsigned family = request >> 8 & 0xff;
    if (!(request >> 30) && family != 0x54 && family != 0x89)
        pf_input_doubt("ioctl with unknown effects");
    return 0;
}

static void ioctl_writes(struct walk *w, unsigned long request, void *to)
{
    size_t n = ioctl_bytes(request);
    if (n)
        add_range(w, to, n);
    if (request == SIOCGIFCONF && to) {
        struct {
            int length;
            char *list;
        } *c = to;
        add_range(w, c->list, (size_t)c->length);
    }
}

static size_t prctl_bytes(long request)
{
    switch (request) {
    case PR_GET_NAME:
        return 16;
    case PR_GET_PDEATHSIG:
    case PR_GET_UNALIGN:
    case PR_GET_FPEMU:
    case PR_GET_FPEXC:
    case PR_GET_ENDIAN:
    case PR_GET_TSC:
    case PR_GET_CHILD_SUBREAPER:
        return 4;
    case PR_GET_TID_ADDRESS:
        return 8;
    default:
        return 0;
    }
}

/* number of semaphores in a set: GETALL writes one value for each */
static size_t semaphores(long id)
{
    struct semid_ds d = {0};
    return pf_sys(SYS_semctl, id, 0, IPC_STAT, &d) == 0 ? d.sem_nsems : 0;
}

static size_t control_bytes(const struct walk *w, uint8_t kind, long command)
{
    static const struct {
        uint8_t kind;
        uint16_t stat, info, limits;
    } sizes[] = {{WRITE_SEMAPHORE_CONTROL, sizeof(struct semid_ds), 40, 40},
                 {WRITE_QUEUE_CONTROL, sizeof(struct msqid_ds), 32, 32},
                 {WRITE_SHARED_CONTROL, sizeof(struct shmid_ds), 48, 72}};
    command &= ~0x100L; /* IPC_64 */
    if (kind == WRITE_SEMAPHORE_CONTROL && command == GETALL)
        /* in pass GET the length comes from the log */
        return w->pass == GET ? 2 : 2 * semaphores(w->argument[0]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].kind == kind) {
            bool stat =
                command == IPC_STAT ||
                (kind == WRITE_SEMAPHORE_CONTROL && (command == SEM_STAT || command == 20)) ||
                (kind == WRITE_QUEUE_CONTROL && (command == MSG_STAT || command == 13)) ||
                (kind == WRITE_SHARED_CONTROL && (command == SHM_STAT || command == 15));
            bool info = (kind == WRITE_SEMAPHORE_CONTROL && command == SEM_INFO) ||
                        (kind == WRITE_QUEUE_CONTROL && command == MSG_INFO) ||
                        (kind == WRITE_SHARED_CONTROL && command == SHM_INFO);
            return stat                  ? sizes[i].stat
                   : info                ? sizes[i].info
                   : command == IPC_INFO ? sizes[i].limits
                                         : 0;
        }
    return 0;
}

/* How many bytes a call writes whose request, argument number `by`, decides it. */
static size_t request_bytes(const struct walk *w, const struct pf_syscall_write *o)
{
    long request = w->argument[o->by];
    switch (o->kind) {
    case WRITE_FCNTL:
        return request == 5 /* F_GETLK */ || request == 36 /* F_OFD_GETLK */ ? 32
               : request == 16 /* F_GETOWN_EX */ || (request & ~2L) == 1036  ? 8
                                                                             : 0;
    case WRITE_PRCTL:
        return prctl_bytes(request);
    default:
        return control_bytes(w, o->kind, request);
    }
}

/* The lengths that sendmmsg sets, and the messages that recvmmsg received. */
static void messages(struct walk *w, struct mmsghdr *m, size_t n, bool received)
{
    for (size_t i = 0; i < n; i++, m++) {
        add_range(w, &m->msg_len, sizeof m->msg_len);
        if (received)
            message(w, &m->msg_hdr, m->msg_len, SOCKET_NAME_MAX, m->msg_hdr.msg_controllen);
    }
}

/* The memory that one entry of syscalls.def describes: all its ranges, with add_range. */
static void one_write(struct walk *w, const struct pf_syscall_write *o)
{
    const long *a = w->argument;
    void *to = (void *)a[o->at];
    bool good = w->result >= 0;
    size_t result = good ? (size_t)w->result : 0, n;
    /* also on failure: the kernel then stores the size needed */
    if (o->kind == WRITE_HANDLE && to) {
        uint32_t *handle = to;
        add_range(w, to, good ? 8 + *handle : 4);
        return;
    }
    if (!good || !to)
        return;
    switch (o->kind) {
    case WRITE_FIXED:
        add_range(w, to, o->size);
        break;
    case WRITE_RESULT:
        add_range(w, to, result);
        break;
    case WRITE_RESULT_WITHIN:
        add_range(w, to, least(result, (size_t)a[o->by]));
        break;
    case WRITE_RESULT_UNITS:
        add_range(w, to, least(result, (uint32_t)a[o->by]) * o->size);
        break;
    case WRITE_COUNTED:
        add_range(w, to, (size_t)a[o->by] * o->size);
        break;
    case WRITE_VECTOR:
        scatter(w, to, (size_t)a[o->by], result);
        break;
    case WRITE_IN_OUT:
        if (a[o->by]) {
            socklen_t *length = (socklen_t *)a[o->by];
            add_range(w, to, least(*length, w->before.length));
            add_range(w, length, sizeof *length);
        }
        break;
    case WRITE_MESSAGE:
        message(w, to, result, w->before.length, w->before.control);
        break;
    case WRITE_MESSAGES:
    case WRITE_MESSAGES_SENT:
        messages(w, to, result, o->kind == WRITE_MESSAGES);
        break;
    case WRITE_SETS:
        n = ((size_t)(uint32_t)a[0] + 63) / 64 * 8;
        for (int i = 0; i < 3; i++)
            add_range(w, (void *)a[o->at + i], n);
        break;
    case WRITE_IOCTL:
        ioctl_writes(w, (unsigned long)(uint32_t)a[o->by], to);
        break;
    case WRITE_PAGES:
        add_range(w, to, pf_page_up((uint64_t)a[o->by]) / PF_PAGE);
        break;
    case WRITE_BITS:
        add_range(w, to, ((size_t)a[o->by] + 63) / 64 * 8);
        break;
    case WRITE_CAPABILITIES:
        add_range(w, to, *(uint32_t *)a[o->by] == _LINUX_CAPABILITY_VERSION_1 ? 12 : 24);
        break;
    case WRITE_QUEUE_MESSAGE:
        add_range(w, to, sizeof(long) + result);
        break;
    default:
        if ((n = request_bytes(w, o)))
            add_range(w, to, n);
    }
}

static void walk(struct walk *w)
{
    const struct pf_syscall *s = pf_syscall_at(w->number);
    for (size_t i = 0; i < sizeof s->writes / sizeof *s->writes; i++)
        if (s->writes[i].kind != WRITE_NONE)
            one_write(w, &s->writes[i]);
}

void pf_syscall_writes_prepare(long number, const long a[6], struct pf_lengths_before *before)
{
    const struct pf_syscall *s = pf_syscall_at(number);
    *before = (struct pf_lengths_before){0};
    for (size_t i = 0; i < sizeof s->writes / sizeof *s->writes; i++) {
        const struct pf_syscall_write *o = &s->writes[i];
        if (o->kind == WRITE_IN_OUT && a[o->at] && a[o->by])
            before->length = *(const socklen_t *)a[o->by];
        if (o->kind == WRITE_MESSAGE && a[o->at]) {
            const struct msghdr *m = (const struct msghdr *)a[o->at];
            before->length = m->msg_namelen;
            before->control = (uint32_t)m->msg_controllen;
        }
    }
}

void pf_syscall_writes_log(long number, const long a[6], const struct pf_lengths_before *before,
                           long result)
{
    struct walk w = {MEASURE, number, result, a, *before, 0, NULL, NULL};
    walk(&w);
    bool standard = (number == SYS_read || number == SYS_readv) && a[0] == 0 && result > 0;
    pf_input_put_header(PF_INPUT_CALL, number, result, w.bytes,
                        standard ? PF_INPUT_STANDARD : PF_INPUT_ANYWHERE);
    w.pass = PUT;
    walk(&w);
}

long pf_syscall_writes_replay(long number, const long a[6], const struct pf_input *in)
{
    const char *payload = pf_input_payload(in);
    struct walk w = {GET, number, (long)in->result, a, {0}, 0, payload, payload + in->bytes};
    walk(&w);
    if (w.at != w.end)
        pf_diverged("a system call wrote other ranges than recorded", (uint64_t)number,
                    (uint64_t)(w.end - w.at));
    return (long)in->result;
}
