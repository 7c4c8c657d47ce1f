/* clip_write.c - the writer of clip.h. Each chunk is passed to one write(2), so that a kill rarely
 * leaves part of a chunk; a large write can be cut short, and the reader drops the part. */
#define _GNU_SOURCE
#include "allocation.h"
#include "clip.h"
#include "clip_environment.h"
#include "clip_machine.h"
#include "vector.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define COMPRESSION 1 /* level of Zstandard: recording must not wait for it */
/* of expression logs, which may have 32 bytes for each operation of the program: needs a third of
 * the time of level 1, and the result is an eighth larger */
#define COMPRESSION_SYMBOLIC (-3)

struct pf_clip_writer {
    int fd;
    char *path;
    ZSTD_CCtx *zstd;
    unsigned char *room; /* buffer for one chunk with its header */
    size_t size;
    uint64_t length[PF_STREAMS];
    uint64_t whole; /* length of the file up to the last whole chunk */
    bool skip_sync;
};

void pf_clip_meta_release(struct pf_clip_meta *m)
{
    for (char **p = m->argv; p && *p; p++)
        free(*p);
    for (char **p = m->env; p && *p; p++)
        free(*p);
    free(m->argv);
    free(m->env);
    free(m->tool);
    free(m->program);
    free(m->cwd);
    free(m->schedule);
    free(m->exclude);
    free(m->without_lock);
    free(m->served);
    free(m->machine);
    free(m->race);
    free(m->values);
    free(m->process);
    *m = (struct pf_clip_meta){0};
}

static pf_status write_all(struct pf_clip_writer *w, const unsigned char *p, size_t n,
                           struct pf_error *e)
{
    size_t left = n;
    while (left) {
        ssize_t r = write(w->fd, p, left);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0) {
            pf_status s = pf_fail(e, PF_IO, "%s: %s", w->path, strerror(errno));
            /* Remove the incomplete chunk: a smaller one may still fit. */
            if (ftruncate(w->fd, (off_t)w->whole) == 0)
                (void)!lseek(w->fd, (off_t)w->whole, SEEK_SET);
            return s;
        }
        p += r;
        left -= (size_t)r;
    }
    w->whole += n;
    return PF_OK;
}

/* Writes one chunk. META and END have position 0: they are not streams of the channel. */
static pf_status put_chunk(struct pf_clip_writer *w, unsigned stream, const void *bytes, size_t n,
                           struct pf_error *e)
{
    size_t want = sizeof(struct pf_chunk) + (ZSTD_compressBound(n) > n ? ZSTD_compressBound(n) : n);
    if (n > PF_CHUNK_MAX)
        return pf_fail(e, PF_BAD, "%s: chunk of %zu bytes is too large", w->path, n);
    if (pf_vec_outgrown(&w->size, want))
        w->room = pf_mem_resize(w->room, w->size, 1);
    unsigned char *body = w->room + sizeof(struct pf_chunk);
    int level = stream == PF_STREAM_SYMBOLIC ? COMPRESSION_SYMBOLIC : COMPRESSION;
    size_t stored =
        ZSTD_compressCCtx(w->zstd, body, w->size - sizeof(struct pf_chunk), bytes, n, level);
    struct pf_chunk c = {.magic = PF_CHUNK_MAGIC,
                         .stream = (uint8_t)stream,
                         .codec = PF_CODEC_ZSTD,
                         .raw = (uint32_t)n,
                         .at = stream < PF_STREAMS ? w->length[stream] : 0};
    if (ZSTD_isError(stored) || stored >= n) {
        memcpy(body, bytes, n);
        stored = n;
        c.codec = PF_CODEC_RAW;
    }
    c.stored = (uint32_t)stored;
    c.check = pf_chunk_check(&c, body);
    memcpy(w->room, &c, sizeof c);
    pf_status s = write_all(w, w->room, sizeof c + stored, e);
    if (s == PF_OK && stream < PF_STREAMS)
        w->length[stream] += n;
    return s;
}

/* --- fields --- */

typedef PF_VEC(unsigned char) fields;

static void add_field(fields *f, uint32_t tag, const void *bytes, size_t n)
{
    struct pf_field head = {tag, (uint32_t)n};
    pf_vec_reserve(f, sizeof head + n);
    memcpy(f->at + f->len, &head, sizeof head);
    if (n)
        memcpy(f->at + f->len + sizeof head, bytes, n);
    f->len += sizeof head + n;
}

static void add_text(fields *f, uint32_t tag, const char *s)
{
    if (s)
        add_field(f, tag, s, strlen(s));
}

static pf_status put_fields(struct pf_clip_writer *w, unsigned stream, fields *f,
                            struct pf_error *e)
{
    pf_status s = put_chunk(w, stream, f->at, f->len, e);
    pf_vec_release(f);
    return s;
}

/* Adds the environment. Values that are not stored here are replaced by filler. */
static void add_environment(fields *f, const struct pf_clip_meta *m)
{
    size_t n = 0;
    for (char **p = m->env; p && *p; p++, n++) {
        size_t length = strlen(*p), name = strcspn(*p, "=") + 1;
        add_text(f, PF_FIELD_ENV, *p);
        if (m->values && m->values[n] != PF_ENVIRONMENT_STORED && name < length)
            memset(f->at + f->len - (length - name), PF_ENVIRONMENT_FILLER, length - name);
    }
    if (!m->values)
        return;
    unsigned char *values = pf_mem_zero(n + 1, 1);
    for (size_t i = 0; i < n; i++) /* UNKNOWN is stored as READ without a value */
        values[i] = m->values[i] == PF_ENVIRONMENT_UNKNOWN ? PF_ENVIRONMENT_READ : m->values[i];
    add_field(f, PF_FIELD_VALUES, values, n);
    free(values);
}

static pf_status put_meta(struct pf_clip_writer *w, const struct pf_clip_meta *m,
                          struct pf_error *e)
{
    fields f = {0};
    uint64_t origin = pf_clip_origin(w->path);
    add_text(&f, PF_FIELD_TOOL, m->tool);
    add_field(&f, PF_FIELD_ABI, &m->abi, sizeof m->abi);
    add_text(&f, PF_FIELD_PROGRAM, m->program);
    add_field(&f, PF_FIELD_BUILD, &m->build, sizeof m->build);
    add_text(&f, PF_FIELD_CWD, m->cwd);
    for (char **p = m->argv; p && *p; p++)
        add_text(&f, PF_FIELD_ARG, *p);
    add_environment(&f, m);
    add_text(&f, PF_FIELD_SCHEDULE, m->schedule);
    add_text(&f, PF_FIELD_EXCLUDE, m->exclude);
    add_text(&f, PF_FIELD_WITHOUT_LOCK, m->without_lock);
    add_text(&f, PF_FIELD_SERVED, m->served);
    char *machine = m->machine ? NULL : pf_clip_machine(); /* a copy keeps its machine */
    add_text(&f, PF_FIELD_MACHINE, m->machine ? m->machine : machine);
    free(machine);
    add_text(&f, PF_FIELD_RACE, m->race);
    add_text(&f, PF_FIELD_PROCESS, m->process);
    if (m->runtime)
        add_field(&f, PF_FIELD_RUNTIME, &m->runtime, sizeof m->runtime);
    add_field(&f, PF_FIELD_TRACED, &m->traced, sizeof m->traced);
    if (m->watched)
        add_field(&f, PF_FIELD_WATCHED, &m->watched, sizeof m->watched);
    if (m->memory.model != PF_MEMORY_SC)
        add_field(&f, PF_FIELD_MEMORY, &m->memory, sizeof m->memory);
    if (m->stack)
        add_field(&f, PF_FIELD_STACK, &m->stack, sizeof m->stack);
    add_field(&f, PF_FIELD_ORIGIN, &origin, sizeof origin);
    return put_fields(w, PF_STREAM_META, &f, e);
}

/* Removes the permissions of other users from a file that existed before. */
static pf_status make_private(const struct pf_clip_writer *w, struct pf_error *e)
{
    struct stat s;
    if (fstat(w->fd, &s) || (S_ISREG(s.st_mode) && s.st_mode & 077 && fchmod(w->fd, 0600)))
        return pf_fail(e, PF_IO, "%s: cannot be made private (mode 0600): %s", w->path,
                       strerror(errno));
    return PF_OK;
}

pf_status pf_clip_create(struct pf_clip_writer **out, const char *path,
                         const struct pf_clip_meta *meta, struct pf_error *e)
{
    struct pf_clip_writer *w = pf_mem_zero(1, sizeof *w);
    w->path = pf_mem_copy(path);
    w->zstd = pf_mem_checked(ZSTD_createCCtx());
    w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct pf_clip_header head = {.magic = PF_CLIP_MAGIC, .version = PF_CLIP_VERSION};
    pf_status s =
        w->fd < 0 ? pf_fail(e, PF_IO, "%s: %s", path, strerror(errno)) : make_private(w, e);
    if (s == PF_OK)
        s = write_all(w, (const void *)&head, sizeof head, e);
    if (s == PF_OK)
        s = put_meta(w, meta, e);
    if (s == PF_OK)
        *out = w;
    else
        pf_clip_writer_free(w);
    return s;
}

pf_status pf_clip_append(struct pf_clip_writer *w, unsigned stream, const void *bytes, size_t n,
                         struct pf_error *e)
{
    return n ? put_chunk(w, stream, bytes, n, e) : PF_OK;
}

pf_status pf_clip_finish(struct pf_clip_writer *w, const struct pf_clip_end *end,
                         struct pf_error *e)
{
    fields f = {0};
    uint32_t status = (uint32_t)end->wait, outcome = end->outcome;
    add_field(&f, PF_FIELD_STATUS, &status, sizeof status);
    add_field(&f, PF_FIELD_OUTCOME, &outcome, sizeof outcome);
    add_text(&f, PF_FIELD_TEXT, end->text);
    if (end->reached.asked)
        add_field(&f, PF_FIELD_REACHED, &end->reached,
                  offsetof(struct pf_reached, at) + end->reached.n * sizeof end->reached.at[0]);
    if (end->copies)
        add_field(&f, PF_FIELD_COPIES, &end->copies, sizeof end->copies);
    if (end->whole)
        add_field(&f, PF_FIELD_WHOLE, &end->whole, sizeof end->whole);
    if (end->created)
        add_field(&f, PF_FIELD_CREATED, &end->created, sizeof end->created);
    if (end->succeeded)
        add_field(&f, PF_FIELD_SUCCEEDED, &end->succeeded, sizeof end->succeeded);
    if (end->errors)
        add_field(&f, PF_FIELD_ERRORS, &end->errors, sizeof end->errors);
    if (*end->failure)
        add_text(&f, PF_FIELD_FAILURE, end->failure);
    for (int s = 0; s < PF_STREAMS; s++)
        add_field(&f, PF_FIELD_TOTAL, &w->length[s], sizeof w->length[s]);
    pf_status s = put_fields(w, PF_STREAM_END, &f, e);
    /* Pipes and devices cannot be flushed, and need not be. */
    if (s == PF_OK && !w->skip_sync && fsync(w->fd) && errno != EINVAL && errno != EROFS)
        s = pf_fail(e, PF_IO, "%s: %s", w->path, strerror(errno));
    return s;
}

void pf_clip_skip_sync(struct pf_clip_writer *w) { w->skip_sync = true; }

void pf_clip_writer_free(struct pf_clip_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    ZSTD_freeCCtx(w->zstd);
    free(w->room);
    free(w->path);
    free(w);
}
