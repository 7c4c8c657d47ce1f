/*
 * sample_state.c - see sample_state.h.
 *
 * An execution writes one new file: under a temporary name, then fdatasync, then rename to its
 * final name. So existing files are never opened for writing, and a kill at any time leaves at most
 * a file with a temporary name, which is never read. When enough files have accumulated, the
 * process that gets the lock merges them into a new `base` in the same way, and then removes them.
 * `base` lists the files that it contains, so a kill between the two steps does not make them count
 * twice.
 */
#define _GNU_SOURCE
#include "sample_state.h"
#include "findings_log.h"
#include "fnv.h"
#include "limits.h"
#include "options.h"
#include "sys.h"
#include "textbuf.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define MAGIC 0x0a73726961706670ull /* "pfpairs\n" */
#define VERSION 2
#define STREAK_MAX 255 /* executions in a row that are counted */
#define MERGE_AT 8     /* number of files that makes a merge worthwhile */
#define FILES_MAX 4096 /* further files wait for the next merge */
#define NAME_SIZE 48

struct header {
    uint64_t magic;
    uint32_t version, kind; /* 1: base, 2: one execution */
    uint64_t npairs, ncovered;
    uint64_t nmerged; /* base: number of files merged into it */
    uint64_t executions;
    uint64_t sum; /* FNV-1a of the whole file with this field 0 */
};
enum { BASE = 1, EXECUTION = 2 };
struct pair_entry {
    uint64_t key;
    uint32_t count, streak;
};
struct coverage_entry {
    uint64_t key, sites[2];
    uint32_t flags, unseen;
};
struct execution_name {
    uint64_t time, pid;
};

static const char *subfolder = "pairs";
static char folder[PATH_MAX]; /* of this program; "": none */
static struct execution_name saved; /* names the file of this execution; pid 0: not written yet */

static void report_problem(const char *path, const char *what, const char *then)
{
    const char *parts[] = {"photofinish: ", path, ": ", what, then, "\n", NULL};
    if (pf_options.quiet)
        pf_findings_log_note(parts + 1, 4);
    else
        pf_sys_say_all(parts);
}

/* --- paths --- */

static bool join_path(char *out, const char *dir, const char *name)
{
    size_t n = pf_str_len(dir), m = pf_str_len(name);
    if (n + m + 2 > PATH_MAX)
        return false;
    pf_copy(out, dir, n);
    out[n] = '/';
    pf_copy(out + n + 1, name, m + 1);
    return true;
}

static void add_hex(char *at, uint64_t v, unsigned digits)
{
    for (unsigned i = 0; i < digits; i++)
        at[i] = "0123456789abcdef"[v >> 4 * (digits - 1 - i) & 15];
    at[digits] = 0;
}

/* "0123456789abcdef-01234567.pairs": the time when the execution ended, and its process id. */
static void file_name(char *out, uint64_t time, uint64_t pid, const char *suffix)
{
    add_hex(out, time, 16);
    out[16] = '-';
    add_hex(out + 17, pid, 8);
    pf_copy(out + 25, suffix, pf_str_len(suffix) + 1);
}

static bool parse_hex(const char *s, unsigned digits, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < digits; i++) {
        char c = s[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        *out = *out << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static bool parse_name(const char *s, struct execution_name *out)
{
    return pf_str_len(s) == 31 && parse_hex(s, 16, &out->time) && s[16] == '-' &&
           parse_hex(s + 17, 8, &out->pid) && pf_str_same(s + 25, ".pairs");
}

static bool make_folder(const char *path)
{
    long r = pf_sys(SYS_mkdir, path, 0777);
    return r == 0 || r == -EEXIST;
}

/* Sets `folder` to STATE/SUBFOLDER/PROGRAM-HASH, which is created if it does not exist. */
static bool find_folder(void)
{
    char exe[PATH_MAX], state[PATH_MAX], pairs[PATH_MAX], name[NAME_MAX + 1];
    long n = pf_sys(SYS_readlink, "/proc/self/exe", exe, sizeof exe - 1);
    const char *given = *pf_options.state ? pf_options.state : ".photofinish";
    if (n <= 0)
        return false;
    exe[n] = 0;
    if (*given == '/') {
        if (pf_str_len(given) >= sizeof state)
            return false;
        pf_copy(state, given, pf_str_len(given) + 1);
    } else {
        char here[PATH_MAX];
        if (pf_sys(SYS_getcwd, here, sizeof here) <= 0 || !join_path(state, here, given))
            return false;
    }
    const char *base = pf_str_base(exe);
    size_t length = pf_str_len(base);
    if (length > 100)
        length = 100;
    pf_copy(name, base, length);
    name[length] = '-';
    add_hex(name + length + 1, pf_fnv_bytes(PF_FNV_START, exe, (size_t)n), 16);
    return join_path(pairs, state, subfolder) && join_path(folder, pairs, name) &&
           make_folder(state) && make_folder(pairs) && make_folder(folder) &&
           pf_sys(SYS_access, folder, 2 /* W_OK */) == 0;
}

/* --- files --- */

struct file {
    struct header *head; /* NULL: not loaded */
    size_t size;
};

static void unmap_file(struct file *f)
{
    if (f->head)
        pf_sys(SYS_munmap, f->head, f->size + 1);
    f->head = NULL;
}

static const struct pair_entry *entries(const struct file *f)
{
    return (const void *)(f->head + 1);
}
static const struct coverage_entry *coverage_of(const struct file *f)
{
    return (const void *)(entries(f) + f->head->npairs);
}
static const struct execution_name *merged_of(const struct file *f)
{
    return (const void *)(coverage_of(f) + f->head->ncovered);
}

/* What is wrong with the file; NULL: nothing. */
static const char *find_defect(const struct file *f, uint32_t kind)
{
    struct header *h = f->head;
    if (f->size < sizeof *h || h->magic != MAGIC)
        return "not a photofinish file of function pairs";
    if (h->version != VERSION)
        return "written by another version of photofinish";
    if (h->kind != kind)
        return "its kind does not match its name";
    if (h->npairs > f->size / sizeof(struct pair_entry) ||
        h->ncovered > f->size / sizeof(struct coverage_entry) ||
        h->nmerged > f->size / sizeof(struct execution_name) ||
        f->size != sizeof *h + h->npairs * sizeof(struct pair_entry) +
                       h->ncovered * sizeof(struct coverage_entry) +
                       h->nmerged * sizeof(struct execution_name))
        return "truncated, or longer than its header says";
    uint64_t sum = h->sum;
    h->sum = 0;
    uint64_t found = pf_fnv_bytes(PF_FNV_START, h, f->size);
    h->sum = sum;
    return found == sum ? NULL : "damaged (wrong checksum)";
}

/* Renames an invalid file to bad-TIME-NAME and reports it. */
static void set_aside(const char *name, const char *why)
{
    char from[PATH_MAX], to[PATH_MAX], bad[NAME_SIZE + 32] = "bad-";
    add_hex(bad + 4, pf_sys_clock(CLOCK_REALTIME), 16);
    bad[20] = '-';
    pf_copy(bad + 21, name, pf_str_len(name) + 1);
    if (join_path(from, folder, name) && join_path(to, folder, bad)) {
        pf_sys(SYS_rename, from, to);
        report_problem(from, why, "; set aside, not used");
    }
}

/* Returns false if the file does not exist or is invalid. */
static bool read_file(struct file *f, const char *name, uint32_t kind)
{
    char path[PATH_MAX];
    struct stat s;
    *f = (struct file){0};
    if (!join_path(path, folder, name))
        return false;
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    size_t n = 0;
    if (pf_sys(SYS_fstat, fd, &s) == 0 && s.st_size >= 0 && s.st_size < 1l << 31) {
        f->size = (size_t)s.st_size;
        f->head = pf_sys_map(NULL, f->size + 1);
        for (long r = 1; f->head && n < f->size && r > 0; n += r > 0 ? (size_t)r : 0)
            r = pf_sys(SYS_read, fd, (char *)f->head + n, f->size - n);
    }
    pf_sys(SYS_close, fd);
    const char *why = f->head && n == f->size ? find_defect(f, kind) : "cannot be read";
    if (!why)
        return true;
    unmap_file(f);
    set_aside(name, why);
    return false;
}

/* Writes a temporary file, syncs it and renames it, so that the file appears complete or not at
 * all. `then` is what follows if that fails. */
static bool write_file(const char *name, struct header *h, size_t size, const char *then)
{
    char temporary[NAME_SIZE + 8] = "new-", from[PATH_MAX], to[PATH_MAX];
    add_hex(temporary + 4, (uint64_t)pf_sys(SYS_getpid), 8);
    pf_copy(temporary + 12, name, pf_str_len(name) + 1);
    h->sum = 0;
    h->sum = pf_fnv_bytes(PF_FNV_START, h, size);
    if (!join_path(from, folder, temporary) || !join_path(to, folder, name))
        return false;
    long fd = pf_sys(SYS_open, from, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), r;
    size_t n = 0;
    while (fd >= 0 && n < size && (r = pf_sys_write(fd, (char *)h + n, size - n)) > 0)
        n += (size_t)r;
    bool good = n == size && pf_sys(SYS_fdatasync, fd) == 0;
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    good = good && pf_sys(SYS_rename, from, to) == 0;
    if (!good) {
        pf_sys(SYS_unlink, from);
        report_problem(to, "cannot be written", then);
    }
    return good;
}

/* --- the folder --- */

struct listing {
    struct execution_name *at; /* sorted by time */
    uint32_t n;
};

static void list(struct listing *l)
{
    char buffer[8192] __attribute__((aligned(8)));
    l->n = 0;
    l->at = pf_sys_map(NULL, FILES_MAX * sizeof *l->at);
    long fd = pf_sys(SYS_open, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    while (l->at && fd >= 0 && (n = pf_sys(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct pf_directory_entry *d = (const void *)(buffer + at);
            struct execution_name m;
            at += d->length;
            if (!parse_name(d->name, &m) || l->n == FILES_MAX)
                continue;
            uint32_t i = l->n++;
            for (; i && l->at[i - 1].time > m.time; i--)
                l->at[i] = l->at[i - 1];
            l->at[i] = m;
        }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
}

static void listing_release(struct listing *l)
{
    if (l->at)
        pf_sys(SYS_munmap, l->at, FILES_MAX * sizeof *l->at);
}

/* --- merging: in a pair, `count` is the number of calls so far, and `earlier` the number of
 * executions in a row that saw it --- */

struct merged_state {
    struct pf_function_pairs pairs;
    struct pf_pair_coverage coverage;
    uint64_t executions;
    struct listing files; /* all execution files in the folder */
};

/* The coverage of `base`, or of the execution number `now`. While files are merged, `unseen` is the
 * number of the execution that used the entry last. */
static void add_coverage(struct merged_state *s, const struct file *f, uint32_t now)
{
    for (uint64_t i = 0; i < f->head->ncovered; i++) {
        struct coverage_entry from = coverage_of(f)[i];
        struct pf_coverage_entry *e = from.key ? pf_coverage_add(&s->coverage, from.key) : NULL;
        if (!e)
            continue;
        for (unsigned side = 0; side < 2; side++)
            pf_coverage_add_sites(e, side, from.sites[side]);
        pf_coverage_add_flags(e, from.flags & PF_COVERAGE_SAVED);
        e->unseen = now - from.unseen;
    }
}

static void add_execution(struct merged_state *s, const struct file *f)
{
    struct pf_function_pairs next = {0};
    for (uint64_t i = 0; i < f->head->npairs; i++) {
        struct pair_entry e = entries(f)[i];
        const struct pf_function_pair *old = pf_function_pairs_find(&s->pairs, e.key);
        uint32_t streak = old ? old->earlier + (old->earlier < STREAK_MAX) : 1;
        uint64_t count = (old ? old->count : 0ull) + e.count;
        if (e.key && !pf_function_pairs_find(&next, e.key))
            pf_function_pairs_add(&next, e.key, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count,
                                  streak);
    }
    pf_function_pairs_release(&s->pairs);
    s->pairs = next;
    s->executions++;
    add_coverage(s, f, (uint32_t)s->executions);
}

static bool contains(const struct file *base, struct execution_name m)
{
    for (uint64_t i = 0; base->head && i < base->head->nmerged; i++)
        if (merged_of(base)[i].time == m.time && merged_of(base)[i].pid == m.pid)
            return true;
    return false;
}

static void state_read(struct merged_state *s)
{
    struct file base, f;
    char name[NAME_SIZE];
    *s = (struct merged_state){0};
    pf_coverage_init(&s->coverage);
    list(&s->files); /* before `base` is read: files merged meanwhile are listed in `base` */
    if (read_file(&base, "base", BASE)) {
        s->executions = base.head->executions;
        add_coverage(s, &base, (uint32_t)s->executions);
        for (uint64_t i = 0; i < base.head->npairs; i++)
            if (entries(&base)[i].key && !pf_function_pairs_find(&s->pairs, entries(&base)[i].key))
                pf_function_pairs_add(&s->pairs, entries(&base)[i].key, entries(&base)[i].count,
                                      entries(&base)[i].streak);
    }
    for (uint32_t i = 0; i < s->files.n; i++) {
        if (contains(&base, s->files.at[i]))
            continue;
        file_name(name, s->files.at[i].time, s->files.at[i].pid, ".pairs");
        if (!read_file(&f, name, EXECUTION))
            continue;
        add_execution(s, &f);
        unmap_file(&f);
    }
    unmap_file(&base);
}

static void state_release(struct merged_state *s)
{
    pf_function_pairs_release(&s->pairs);
    pf_coverage_release(&s->coverage);
    listing_release(&s->files);
}

static size_t room_for(uint64_t npairs, uint64_t ncovered, uint64_t nmerged)
{
    return sizeof(struct header) + npairs * sizeof(struct pair_entry) +
           ncovered * sizeof(struct coverage_entry) + nmerged * sizeof(struct execution_name);
}

static size_t file_size(const struct header *h)
{
    return room_for(h->npairs, h->ncovered, h->nmerged);
}

struct pair_writer {
    struct header *head;
    uint64_t max;
    bool all; /* base: whole entries; else only what this execution added */
};

static void fill(const struct pf_function_pair *p, void *arg)
{
    struct pair_writer *f = arg;
    struct pair_entry *e = (struct pair_entry *)(f->head + 1) + f->head->npairs;
    if (f->head->npairs == f->max || (!f->all && p->count <= p->earlier))
        return;
    *e = (struct pair_entry){p->key, f->all ? p->count : p->count - p->earlier,
                             f->all ? p->earlier : 1};
    f->head->npairs++;
}

/* Appends entries to the file, which has all its pairs; there is room for `max`. merged: all
 * entries except those that were not used for long, with `unseen` as add_coverage leaves it; NULL:
 * those of this execution. */
static void fill_coverage(struct header *h, const struct pf_pair_coverage *c, uint64_t max,
                          const struct merged_state *merged)
{
    struct coverage_entry *to = (struct coverage_entry *)((struct pair_entry *)(h + 1) + h->npairs);
    for (uint32_t i = 0; c->at && i < PF_COVERAGE_SIZE && h->ncovered < max; i++) {
        const struct pf_coverage_entry *e = &c->at[i];
        uint64_t key = __atomic_load_n(&e->key, __ATOMIC_RELAXED);
        uint32_t flags = __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
        uint32_t unseen = merged ? (uint32_t)merged->executions - e->unseen : 0;
        if (!key || (!merged && !(flags & PF_COVERAGE_SEEN)) || unseen > PF_COVERAGE_UNSEEN_MAX)
            continue;
        to[h->ncovered++] =
            (struct coverage_entry){key,
                                    {__atomic_load_n(&e->sites[0], __ATOMIC_RELAXED),
                                     __atomic_load_n(&e->sites[1], __ATOMIC_RELAXED)},
                                    flags & PF_COVERAGE_SAVED,
                                    unseen};
    }
}

/* With the lock held: merges all files into a new `base`. */
static void merge(void)
{
    struct merged_state s;
    char name[NAME_SIZE], path[PATH_MAX];
    state_read(&s);
    size_t size = room_for(s.pairs.n, s.coverage.n, s.files.n);
    struct pair_writer f = {pf_sys_map(NULL, size), s.pairs.n, true};
    if (f.head) {
        *f.head = (struct header){
            .magic = MAGIC, .version = VERSION, .kind = BASE, .executions = s.executions};
        pf_function_pairs_each(&s.pairs, fill, &f);
        fill_coverage(f.head, &s.coverage, s.coverage.n, &s);
        f.head->nmerged = s.files.n;
        struct file whole = {f.head, 0};
        pf_copy((void *)merged_of(&whole), s.files.at, s.files.n * sizeof *s.files.at);
        if (write_file("base", f.head, file_size(f.head),
                       "; the files of single executions stay in use"))
            for (uint32_t i = 0; i < s.files.n; i++) {
                file_name(name, s.files.at[i].time, s.files.at[i].pid, ".pairs");
                if (join_path(path, folder, name))
                    pf_sys(SYS_unlink, path);
            }
        pf_sys(SYS_munmap, f.head, size);
    }
    state_release(&s);
}

/* --- for the policy --- */

void pf_sample_state_use(const char *name) { subfolder = name; }

struct frequent_filter {
    struct pf_function_pairs *out;
    uint32_t n;
};

static void add_frequent(const struct pf_function_pair *p, void *arg)
{
    struct frequent_filter *t = arg;
    if (p->earlier >= t->n)
        pf_function_pairs_add(t->out, p->key, p->count, p->count);
}

static void copy_coverage(struct pf_pair_coverage *out, const struct pf_pair_coverage *from)
{
    for (uint32_t i = 0; from->at && i < PF_COVERAGE_SIZE; i++) {
        struct pf_coverage_entry *e =
            from->at[i].key ? pf_coverage_add(out, from->at[i].key) : NULL;
        if (e)
            *e = from->at[i];
    }
}

uint32_t pf_sample_state_load(struct pf_function_pairs *out, uint32_t n,
                              struct pf_pair_coverage *coverage, uint64_t *executions)
{
    struct merged_state s;
    *executions = 0;
    if (!find_folder()) {
        report_problem(folder[0] ? folder : "the state folder", "cannot be used",
                       "; this execution is sampled as if it were the first");
        folder[0] = 0;
        return 0;
    }
    state_read(&s);
    struct frequent_filter t = {out, n};
    pf_function_pairs_each(&s.pairs, add_frequent, &t);
    copy_coverage(coverage, &s.coverage);
    uint32_t all = s.pairs.n;
    *executions = s.executions;
    state_release(&s);
    return all;
}

static void merge_if_due(void)
{
    struct listing l;
    char path[PATH_MAX];
    list(&l);
    uint32_t waiting = l.n;
    listing_release(&l);
    if (waiting < MERGE_AT || !join_path(path, folder, "lock"))
        return;
    long fd = pf_sys(SYS_open, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (pf_sys(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0) /* otherwise another process is merging */
        merge();
    pf_sys(SYS_close, fd);
}

void pf_sample_state_save(struct pf_function_pairs *seen, const struct pf_pair_coverage *coverage,
                          bool exec)
{
    if (!folder[0] || !seen->n)
        return;
    uint64_t ncovered = __atomic_load_n(&coverage->n, __ATOMIC_RELAXED);
    size_t size = room_for(seen->n, ncovered, 0);
    struct pair_writer f = {pf_sys_map(NULL, size), seen->n, false};
    if (!f.head) {
        pf_limit_hit(PF_LIMIT_MEMORY);
        return;
    }
    if (exec) /* before the file is written: a merged file cannot be retracted */
        merge_if_due();
    *f.head =
        (struct header){.magic = MAGIC, .version = VERSION, .kind = EXECUTION, .executions = 1};
    pf_function_pairs_each(seen, fill, &f);
    fill_coverage(f.head, coverage, ncovered, NULL);
    char name[NAME_SIZE];
    saved.time = pf_sys_clock(CLOCK_REALTIME);
    saved.pid = (uint64_t)pf_sys(SYS_getpid);
    file_name(name, saved.time, saved.pid, ".pairs");
    if (f.head->npairs)
        write_file(name, f.head, file_size(f.head), "; the pairs of this execution are lost");
    pf_sys(SYS_munmap, f.head, size);
    if (!exec)
        merge_if_due();
}

/* If another process has merged the file already, the rest of this execution counts as a further
 * one. */
void pf_sample_state_retract(void)
{
    char name[NAME_SIZE], path[PATH_MAX];
    if (saved.pid != (uint64_t)pf_sys(SYS_getpid)) /* the parent's, or none */
        return;
    file_name(name, saved.time, saved.pid, ".pairs");
    if (join_path(path, folder, name))
        pf_sys(SYS_unlink, path);
    saved.pid = 0;
}
