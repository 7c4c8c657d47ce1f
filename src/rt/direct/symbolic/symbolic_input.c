/*
 * symbolic_input.c - the sources of a symbolic run: arguments, environment, standard input, files,
 * sockets, random bytes. Their bytes become leaves when they arrive in memory.
 *
 * A descriptor is matched with a source when it delivers bytes, by the file it refers to now, so
 * dup, close and reuse of numbers need no bookkeeping.
 */
#define _GNU_SOURCE
#include "channel.h"
#include "direct.h"
#include "number_text.h"
#include "rt.h"
#include "stream_ring.h"
#include "symbolic.h"
#include "sys.h"
#include "syscalls.h"
#include "textbuf.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define SOURCES_MAX 256 /* further ones stay concrete */
#define LIMIT 65536 /* bytes of a source that become leaves, unless the SPEC says otherwise */

struct source {
    enum pf_symbolic_source type;
    char name[256]; /* its SPEC */
    uint64_t device, inode; /* of a file, and of standard input if it is one */
    uint64_t limit;
    uint64_t delivered; /* bytes, for descriptors without a position */
    uint64_t length; /* bytes seen so far */
    bool has_size; /* it is a regular file */
    uint64_t size;
    uint8_t *data;
    uint32_t *leaf; /* by offset; 0: not made yet */
    bool announced;
};

bool pf_symbolic_on;
static struct source sources[SOURCES_MAX];
static uint32_t nsources;
/* sockets become sources when they deliver bytes: all of them, or those that were named */
static bool all_sockets;
static uint64_t socket_limit;
static bool was_read; /* see pf_symbolic_was_read */

static size_t copy_text(char *to, size_t room, const char *from, size_t n)
{
    if (n >= room)
        n = room - 1;
    pf_copy(to, from, n);
    to[n] = 0;
    return n;
}

/* Adds a source. Returns its number; UINT32_MAX: there is no room. */
static uint32_t source_add(enum pf_symbolic_source type, const char *name, size_t n, uint64_t limit)
{
    if (nsources == SOURCES_MAX)
        return UINT32_MAX;
    struct source *s = &sources[nsources];
    s->type = type;
    s->limit = limit ? limit : LIMIT;
    copy_text(s->name, sizeof s->name, name, n);
    s->data = pf_sys_map(NULL, s->limit);
    s->leaf = pf_sys_map(NULL, s->limit * sizeof *s->leaf);
    return s->data && s->leaf ? nsources++ : UINT32_MAX;
}

static void announce(uint32_t i, uint32_t index)
{
    struct source *s = &sources[i];
    if (s->announced)
        return;
    s->announced = true;
    size_t n = pf_str_len(s->name);
    pf_symbolic_put(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_SOURCE,
                                                 .op = (uint8_t)s->type,
                                                 .a = i,
                                                 .b = (uint32_t)n,
                                                 .c = index},
                    s->name, n);
}

uint32_t pf_symbolic_leaf(uint32_t source, uint64_t offset, uint8_t value)
{
    struct source *s = &sources[source];
    if (offset >= s->limit || offset >= s->length || s->data[offset] != value)
        return 0;
    if (!s->leaf[offset])
        s->leaf[offset] = pf_expression_make(&(struct pf_symbolic_record){
            .op = PF_EXPR_INPUT, .bits = 8, .a = source, .x = offset, .y = value});
    return s->leaf[offset];
}

bool pf_symbolic_is_word(uint32_t source)
{
    return sources[source].type == PF_SOURCE_ARGUMENT ||
           sources[source].type == PF_SOURCE_ENVIRONMENT;
}

uint32_t pf_symbolic_leaf_beyond(uint32_t source, uint64_t offset)
{
    if (!pf_symbolic_is_word(source) || offset < sources[source].length ||
        offset >= sources[source].limit)
        return 0;
    return pf_expression_make(
        &(struct pf_symbolic_record){.op = PF_EXPR_INPUT, .bits = 8, .a = source, .x = offset});
}

bool pf_symbolic_length(uint32_t source, struct pf_expression_operand *out)
{
    const struct source *s = &sources[source];
    uint64_t n = pf_symbolic_is_word(source) ? s->length - 1 : s->size;
    if (!s->has_size && !pf_symbolic_is_word(source))
        return false;
    *out =
        (struct pf_expression_operand){pf_expression_make(&(struct pf_symbolic_record){
                                           .op = PF_EXPR_LENGTH, .bits = 64, .a = source, .y = n}),
                                       n};
    return true;
}

/* n bytes of a source have arrived at `at`. */
static void arrive(uint32_t source, uint64_t offset, void *at, size_t n)
{
    struct source *s = &sources[source];
    announce(source, 0);
    pf_label_memory_fill(at, 0, n);
    if (offset + n > s->limit)
        pf_symbolic_lose(PF_LOSS_LIMIT, s->name);
    uint64_t in = offset >= s->limit ? 0 : n < s->limit - offset ? n : s->limit - offset;
    bool known = offset + in <= s->length;
    for (uint64_t i = 0; i < in && known; i++)
        known = s->data[offset + i] == ((uint8_t *)at)[i];
    if (!known) {
        pf_symbolic_put(
            &(struct pf_symbolic_record){
                .kind = PF_SYMBOLIC_DATA, .a = source, .b = (uint32_t)in, .x = offset},
            at, in);
        for (uint64_t i = 0; i < in; i++)
            if (s->data[offset + i] != ((uint8_t *)at)[i])
                s->leaf[offset + i] = 0; /* the file has changed: a new leaf */
        pf_copy(s->data + offset, at, in);
        if (s->length < offset + in)
            s->length = offset + in;
    }
    for (uint64_t i = 0; i < in; i++)
        pf_label_memory_fill((char *)at + i,
                             pf_symbolic_leaf(source, offset + i, ((uint8_t *)at)[i]), 1);
}

/* --- descriptors --- */

static bool is_same_file(const struct source *s, const struct stat *st)
{
    return s->inode == st->st_ino && s->device == st->st_dev;
}

/* Writes NAME[N]; returns its length. */
static size_t numbered_name(char *to, const char *name, uint32_t number)
{
    struct pf_number_text buffer;
    const char *digits = pf_number_format(&buffer, number);
    size_t n = pf_str_len(name), d = pf_str_len(digits);
    pf_copy(to, name, n);
    to[n++] = '[';
    pf_copy(to + n, digits, d);
    n += d;
    to[n++] = ']';
    to[n] = 0;
    return n;
}

static uint32_t find_socket(const struct stat *st)
{
    char name[32];
    uint32_t number = pf_socket_number(st->st_ino, false);
    size_t n = numbered_name(name, "socket", number);
    for (uint32_t i = 0; i < nsources; i++)
        if (sources[i].type == PF_SOURCE_SOCKET && pf_str_starts(sources[i].name, name))
            return i;
    return number && all_sockets ? source_add(PF_SOURCE_SOCKET, name, n, socket_limit) : UINT32_MAX;
}

static uint32_t find_descriptor(int fd, struct stat *st)
{
    if (pf_sys(SYS_fstat, fd, st))
        return UINT32_MAX;
    if (S_ISSOCK(st->st_mode))
        return find_socket(st);
    for (uint32_t i = 0; i < nsources; i++) {
        struct source *s = &sources[i];
        if (s->type == PF_SOURCE_RANDOM && pf_is_random_device(st))
            return i;
        if ((s->type == PF_SOURCE_FILE || s->type == PF_SOURCE_STDIN) && is_same_file(s, st))
            return i;
    }
    return UINT32_MAX;
}

bool pf_symbolic_was_read(void)
{
    bool any = was_read;
    was_read = false;
    return any;
}

bool pf_symbolic_position(int fd, uint32_t *source, uint64_t *offset)
{
    struct stat st;
    if ((*source = find_descriptor(fd, &st)) == UINT32_MAX)
        return false;
    *offset = S_ISREG(st.st_mode) ? (uint64_t)pf_sys(SYS_lseek, fd, 0, SEEK_CUR)
                                  : sources[*source].delivered;
    return true;
}

/* A call has delivered `n` bytes from a descriptor into these buffers. at: from this offset; NULL:
 * from the current position. peeks: the same bytes will be delivered again. */
static void delivered(int fd, const struct iovec *v, size_t count, size_t n, const long *at,
                      bool peeks)
{
    uint32_t source;
    uint64_t end;
    struct stat st;
    if (pf_sys(SYS_fstat, fd, &st) == 0 && S_ISSOCK(st.st_mode))
        (void)pf_socket_number(st.st_ino, true);
    bool from_source = pf_symbolic_position(fd, &source, &end);
    uint64_t offset = 0;
    if (from_source) {
        was_read = true;
        find_descriptor(fd, &st);
        offset = at ? (uint64_t)*at : S_ISREG(st.st_mode) ? end - n : end;
        sources[source].delivered += S_ISREG(st.st_mode) || peeks ? 0 : n;
    }
    for (size_t i = 0; i < count && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        if (from_source)
            arrive(source, offset, v[i].iov_base, part);
        else
            pf_label_memory_fill(v[i].iov_base, 0, part);
        offset += part;
        n -= part;
    }
}

static void mapped(const long a[6], long at)
{
    uint32_t source;
    struct stat st;
    if (a[3] & MAP_ANONYMOUS || (int)a[4] < 0)
        return;
    source = find_descriptor((int)a[4], &st);
    if (source == UINT32_MAX || !S_ISREG(st.st_mode) || a[5] >= st.st_size || !(a[2] & PROT_READ))
        return;
    uint64_t n = (uint64_t)(st.st_size - a[5]);
    arrive(source, (uint64_t)a[5], (void *)at, n < (uint64_t)a[1] ? n : (uint64_t)a[1]);
}

static void random_arrived(void *at, size_t n)
{
    for (uint32_t i = 0; i < nsources; i++)
        if (sources[i].type == PF_SOURCE_RANDOM) {
            arrive(i, sources[i].delivered, at, n);
            sources[i].delivered += n;
            return;
        }
    pf_label_memory_fill(at, 0, n);
}

/* A call has written the size of the file behind a descriptor to *size. */
static void size_arrived(int fd, void *size)
{
    struct stat st;
    struct pf_expression_operand length;
    uint32_t source = find_descriptor(fd, &st);
    uint64_t value;
    pf_label_memory_fill(size, 0, sizeof value);
    if (source == UINT32_MAX || !S_ISREG(st.st_mode) || !pf_symbolic_length(source, &length))
        return;
    pf_copy(&value, size, sizeof value);
    if (value == length.value)
        pf_label_memory_store(size, sizeof value, length.label, value);
}

void pf_symbolic_after_syscall(long number, const long a[6], long r)
{
    struct iovec one = {(void *)a[1], (size_t)r};
    struct pf_received to;
    if (number == SYS_mmap && r > 0)
        mapped(a, r);
    if (number == SYS_fstat && r == 0)
        size_arrived((int)a[0], &((struct stat *)a[1])->st_size);
    if (number == SYS_newfstatat && r == 0 && a[3] & AT_EMPTY_PATH)
        size_arrived((int)a[0], &((struct stat *)a[2])->st_size);
    if (r <= 0)
        return;
    if (number == SYS_pread64)
        delivered((int)a[0], &one, 1, (size_t)r, &a[3], false);
    else if (number == SYS_getrandom)
        random_arrived((void *)a[0], (size_t)r);
    else if (pf_received(number, a, &to))
        delivered(to.fd, to.at, to.n, (size_t)r, NULL, to.peeks);
}

/* --- start --- */

/* An argument or a value of the environment, with its terminating 0. */
static void take_string(enum pf_symbolic_source type, const char *name, size_t n, uint32_t index,
                        char *at, uint64_t limit)
{
    uint32_t i = source_add(type, name, n, limit);
    if (i == UINT32_MAX)
        return;
    announce(i, index);
    arrive(i, 0, at, pf_str_len(at) + 1);
}

static void take_argument(char **argv, uint32_t index, uint64_t limit)
{
    char name[32];
    size_t n = numbered_name(name, "argv", index);
    take_string(PF_SOURCE_ARGUMENT, name, n, index, argv[index], limit);
}

static void take_variable(char **environment, const char *spec, size_t n, uint64_t limit)
{
    for (uint32_t i = 0; environment[i]; i++) {
        size_t k = 0;
        while (k < n - 4 && environment[i][k] == spec[4 + k])
            k++;
        if (k == n - 4 && environment[i][k] == '=')
            take_string(PF_SOURCE_ENVIRONMENT, spec, n, i, environment[i] + k + 1, limit);
    }
}

static void take_file(const char *spec, size_t n, uint64_t limit)
{
    struct stat st;
    bool stdin_too = pf_str_starts(spec, "stdin");
    char path[256];
    copy_text(path, sizeof path, spec + 5, n - 5);
    /* a private copy: the program may open the file for writing, too */
    int copy = stdin_too || !pf_direct.isolated ? -1 : pf_overlay_take(path);
    long bad = stdin_too || copy >= 0 ? pf_sys(SYS_fstat, copy >= 0 ? copy : 0, &st)
                                      : pf_sys(SYS_stat, path, &st);
    uint32_t i =
        bad ? UINT32_MAX : source_add(stdin_too ? PF_SOURCE_STDIN : PF_SOURCE_FILE, spec, n, limit);
    if (i == UINT32_MAX)
        return;
    sources[i].inode = st.st_ino;
    sources[i].device = st.st_dev;
    sources[i].has_size = S_ISREG(st.st_mode);
    sources[i].size = (uint64_t)st.st_size;
    announce(i, 0);
}

/* One SPEC of pf record --input, n bytes. */
static void take_spec(char **argv, char **environment, const char *spec, size_t n)
{
    size_t name = n; /* length without :BYTES */
    while (name && spec[name - 1] >= '0' && spec[name - 1] <= '9')
        name--;
    /* the colon of env: and file: is not that of a limit, even if a file is called 12 */
    size_t prefix = pf_str_starts(spec, "env:") ? 4 : pf_str_starts(spec, "file:") ? 5 : 0;
    bool limited = name > prefix && name < n && spec[name - 1] == ':';
    uint64_t limit = 0, index = 0;
    if (limited)
        pf_number_parse(spec + name, &limit);
    name = limited ? name - 1 : n;
    if (pf_str_starts(spec, "argv[")) {
        pf_number_parse(spec + 5, &index);
        for (uint64_t i = 0; argv[i]; i++)
            if (i == index)
                take_argument(argv, (uint32_t)index, limit);
    } else if (pf_str_starts(spec, "argv")) {
        for (uint32_t i = 1; argv[0] && argv[i]; i++)
            take_argument(argv, i, limit);
    } else if (pf_str_starts(spec, "env:")) {
        take_variable(environment, spec, name, limit);
    } else if (pf_str_starts(spec, "stdin") || pf_str_starts(spec, "file:")) {
        take_file(spec, name, limit);
    } else if (pf_str_starts(spec, "socket[")) {
        source_add(PF_SOURCE_SOCKET, spec, name, limit);
    } else if (pf_str_starts(spec, "socket")) {
        all_sockets = true;
        socket_limit = limit;
    } else if (pf_str_starts(spec, "random")) {
        source_add(PF_SOURCE_RANDOM, spec, name, limit);
    }
}

void pf_symbolic_choose_mode(void)
{
    pf_symbolic_on = pf_channel_get()->symbolic;
    if (!pf_symbolic_on)
        return;
    if (!pf_label_memory_init() || !pf_expression_init())
        pf_direct_refuse("cannot map the memory of a symbolic run (is there a limit on it?)");
    pf_rt.symbolic = true;
}

void pf_symbolic_init(char **argv, char **environment)
{
    const struct pf_channel *c = pf_channel_get();
    if (!pf_symbolic_on)
        return;
    for (const char *at = c->inputs; *at;) {
        size_t n = 0;
        while (at[n] && at[n] != '\n')
            n++;
        take_spec(argv, environment, at, n);
        at += n + (at[n] == '\n');
    }
}
