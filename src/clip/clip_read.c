/*
 * clip_read.c - the reader of clip.h. The file is untrusted: every length is checked against the
 * bytes that are there before it is used, and only bytes covered by a correct checksum are used.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "clip.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

bool pf_clip_is_file(const char *path)
{
    char first[8] = "";
    FILE *f = fopen(path, "re");
    bool clip =
        f && fread(first, 1, sizeof first, f) == sizeof first && pf_clip_sniff(first, sizeof first);
    if (f)
        fclose(f);
    return clip;
}

bool pf_clip_sniff(const void *bytes, size_t n)
{
    return n >= 8 && !memcmp(bytes, PF_CLIP_MAGIC, 8);
}

/* --- fields --- */

static void set_text(char **to, const unsigned char *bytes, uint32_t n)
{
    free(*to);
    *to = pf_mem_resize(NULL, n + 1u, 1);
    memcpy(*to, bytes, n);
    (*to)[n] = 0;
}

typedef PF_VEC(char *) texts;

static void add_item(texts *list, const unsigned char *bytes, uint32_t n)
{
    char *text = NULL;
    set_text(&text, bytes, n);
    pf_vec_push(list, text);
}

/* The texts, followed by NULL; NULL if there are none. */
static char **end_list(texts *list)
{
    if (list->len)
        pf_vec_push(list, NULL);
    return list->at;
}

static uint64_t number(const unsigned char *bytes, uint32_t n)
{
    uint64_t v = 0;
    memcpy(&v, bytes, n < sizeof v ? n : sizeof v);
    return v;
}

/* Copies as many bytes as both sides have; sets n to 0 if accesses are missing. */
static void get_reached(struct pf_reached *r, const unsigned char *p, uint32_t n)
{
    const size_t head = offsetof(struct pf_reached, at);
    if (n < head)
        return;
    memcpy(r, p, n < sizeof *r ? n : sizeof *r);
    if (r->n > PF_REACHED_MAX || r->n * sizeof r->at[0] > n - head)
        r->n = 0;
}

static void set_values(struct pf_clip *c, const unsigned char *p, uint32_t n)
{
    free(c->meta.values);
    c->meta.values = pf_mem_resize(NULL, n + 1u, 1);
    memcpy(c->meta.values, p, n);
    c->nvalues = n;
}

/* A file can have its fields in any order, so this is known only at the end. */
static bool has_value_for_each(const struct pf_clip *c)
{
    size_t variables = 0;
    while (c->meta.env && c->meta.env[variables])
        variables++;
    return !c->meta.values || c->nvalues == variables;
}

/* What the fields add up to. */
struct reading {
    texts args, env;
    uint64_t totals[PF_STREAMS]; /* of the last chunk */
    int ntotals;
};

/* The fields that are one text or one number, and their members of struct pf_clip. */
static const struct {
    uint8_t tag;
    uint8_t size; /* of the number; 0: a text */
    uint16_t at;
} simple_fields[] = {
#define SIMPLE_TEXT(name, member) {PF_FIELD_##name, 0, offsetof(struct pf_clip, member)}
#define SIMPLE_NUMBER(name, member)                                                                \
    {PF_FIELD_##name, sizeof((struct pf_clip *)0)->member, offsetof(struct pf_clip, member)}
    SIMPLE_TEXT(TOOL, meta.tool),
    SIMPLE_NUMBER(ABI, meta.abi),
    SIMPLE_TEXT(PROGRAM, meta.program),
    SIMPLE_NUMBER(BUILD, meta.build),
    SIMPLE_TEXT(CWD, meta.cwd),
    SIMPLE_TEXT(SCHEDULE, meta.schedule),
    SIMPLE_TEXT(EXCLUDE, meta.exclude),
    SIMPLE_TEXT(MACHINE, meta.machine),
    SIMPLE_TEXT(WITHOUT_LOCK, meta.without_lock),
    SIMPLE_TEXT(SERVED, meta.served),
    SIMPLE_NUMBER(RUNTIME, meta.runtime),
    SIMPLE_TEXT(RACE, meta.race),
    SIMPLE_TEXT(PROCESS, meta.process),
    SIMPLE_NUMBER(TRACED, meta.traced),
    SIMPLE_NUMBER(WATCHED, meta.watched),
    SIMPLE_NUMBER(STACK, meta.stack),
    SIMPLE_NUMBER(ORIGIN, meta.origin),
    SIMPLE_NUMBER(WHOLE, end.whole),
    SIMPLE_NUMBER(STATUS, end.wait),
    SIMPLE_NUMBER(OUTCOME, end.outcome),
    SIMPLE_NUMBER(COPIES, end.copies),
    SIMPLE_NUMBER(CREATED, end.created),
    SIMPLE_NUMBER(SUCCEEDED, end.succeeded),
    SIMPLE_NUMBER(ERRORS, end.errors),
};

static void take_field(struct pf_clip *c, struct reading *r, uint32_t tag, const unsigned char *p,
                       uint32_t n)
{
    for (size_t i = 0; i < sizeof simple_fields / sizeof *simple_fields; i++)
        if (simple_fields[i].tag == tag) {
            void *to = (char *)c + simple_fields[i].at;
            uint64_t v = number(p, n);
            if (simple_fields[i].size)
                memcpy(to, &v, simple_fields[i].size);
            else
                set_text(to, p, n);
            return;
        }
    switch (tag) {
    case PF_FIELD_ARG:
        add_item(&r->args, p, n);
        return;
    case PF_FIELD_ENV:
        add_item(&r->env, p, n);
        return;
    case PF_FIELD_MEMORY:
        memcpy(&c->meta.memory, p, n < sizeof c->meta.memory ? n : sizeof c->meta.memory);
        return;
    case PF_FIELD_VALUES:
        set_values(c, p, n);
        return;
    case PF_FIELD_TEXT:
        n = n < sizeof c->end.text ? n : sizeof c->end.text - 1;
        memcpy(c->end.text, p, n);
        c->end.text[n] = 0;
        return;
    case PF_FIELD_FAILURE:
        snprintf(c->end.failure, sizeof c->end.failure, "%.*s", (int)n, (const char *)p);
        return;
    case PF_FIELD_REACHED:
        get_reached(&c->end.reached, p, n);
        return;
    case PF_FIELD_TOTAL:
        if (r->ntotals < PF_STREAMS)
            r->totals[r->ntotals++] = number(p, n);
        return;
    default: /* added by a later pf; not needed to read this version */
        return;
    }
}

static pf_status unpack(const struct pf_clip *c, const struct pf_clip_chunk *k, void *to,
                        struct pf_error *e)
{
    const unsigned char *from = c->bytes + k->offset;
    size_t got = k->raw;
    if (k->codec == PF_CODEC_RAW)
        memcpy(to, from, k->raw);
    else
        got = ZSTD_decompress(to, k->raw, from, k->stored);
    if (ZSTD_isError(got) || got != k->raw)
        return pf_fail(e, PF_BAD, "%s: offset %" PRIu64 ": chunk cannot be decompressed", c->path,
                       k->offset);
    return PF_OK;
}

/* Reads the fields of a META or END chunk. */
static pf_status read_fields(struct pf_clip *c, const struct pf_clip_chunk *k, struct reading *r,
                             struct pf_error *e)
{
    unsigned char *bytes = pf_mem_resize(NULL, k->raw + 1u, 1);
    size_t got = k->raw;
    pf_status s = unpack(c, k, bytes, e);
    for (size_t i = 0; s == PF_OK && i < got;) {
        struct pf_field f;
        if (got - i < sizeof f) {
            s = pf_fail(e, PF_BAD, "%s: offset %" PRIu64 ": truncated field", c->path, k->offset);
            break;
        }
        memcpy(&f, bytes + i, sizeof f);
        i += sizeof f;
        if (f.length > got - i)
            s = pf_fail(e, PF_BAD,
                        "%s: offset %" PRIu64
                        ": field %u claims %u bytes, but the chunk has only %zu more",
                        c->path, k->offset, f.tag, f.length, got - i);
        else
            take_field(c, r, f.tag, bytes + i, f.length);
        i += f.length;
    }
    free(bytes);
    return s;
}

/* --- chunks --- */

uint64_t pf_chunk_check(const struct pf_chunk *k, const void *stored)
{
    return XXH64(stored, k->stored, XXH64(k, offsetof(struct pf_chunk, check), 0));
}

/* Returns what is wrong with the chunk at `offset`, or NULL. Fills in *k. */
static const char *chunk_fault(const struct pf_clip *c, uint64_t offset, struct pf_chunk *k)
{
    if (c->size - offset < sizeof *k)
        return "the file ends within a chunk header";
    memcpy(k, c->bytes + offset, sizeof *k);
    if (k->magic != PF_CHUNK_MAGIC)
        return "expected a chunk, found other data";
    if (k->raw > PF_CHUNK_MAX || k->stored > PF_CHUNK_MAX || k->codec > PF_CODEC_ZSTD ||
        (k->codec == PF_CODEC_RAW && k->stored != k->raw))
        return "invalid chunk header";
    if (c->size - offset - sizeof *k < k->stored)
        return "the file ends within a chunk";
    if (pf_chunk_check(k, c->bytes + offset + sizeof *k) != k->check)
        return "wrong checksum of a chunk";
    if (k->stream < PF_STREAMS && k->at != c->stream[k->stream].length)
        return "a chunk is missing";
    return NULL;
}

static void add_chunk(struct pf_clip *c, unsigned stream, struct pf_clip_chunk k)
{
    pf_vec_push(&c->stream[stream].chunks, k);
    c->stream[stream].length += k.raw;
}

static pf_status read_chunks(struct pf_clip *c, struct reading *r, struct pf_error *e)
{
    bool described = false;
    for (uint64_t offset = sizeof(struct pf_clip_header);;) {
        struct pf_chunk k;
        const char *fault =
            offset == c->size ? "the recording has no end" : chunk_fault(c, offset, &k);
        if (!fault && !described && k.stream != PF_STREAM_META)
            fault = "the first chunk is not the description of the run";
        if (fault && !described)
            return pf_fail(e, PF_BAD, "%s: offset %" PRIu64 ": %s", c->path, offset, fault);
        if (fault) {
            snprintf(c->cut, sizeof c->cut, "%s, at offset %" PRIu64, fault, offset);
            return PF_OK;
        }
        struct pf_clip_chunk chunk = {offset + sizeof k, k.at, k.stored, k.raw, k.codec};
        pf_status s = PF_OK;
        r->ntotals = 0;
        if (k.stream == PF_STREAM_META || k.stream == PF_STREAM_END)
            s = read_fields(c, &chunk, r, e);
        else if (k.stream < PF_STREAMS)
            add_chunk(c, k.stream, chunk);
        if (s != PF_OK)
            return s;
        described = true;
        offset += sizeof k + k.stored;
        if (k.stream == PF_STREAM_END) {
            for (int i = 0; i < r->ntotals; i++)
                if (r->totals[i] != c->stream[i].length)
                    return pf_fail(e, PF_BAD,
                                   "%s: stream %d has %" PRIu64
                                   " bytes, but the end chunk says %" PRIu64,
                                   c->path, i, c->stream[i].length, r->totals[i]);
            c->ended = true;
            return PF_OK;
        }
    }
}

static pf_status open_bytes(struct pf_clip *c, struct pf_error *e)
{
    struct pf_clip_header h;
    if (!pf_clip_sniff(c->bytes, c->size))
        return pf_fail(e, PF_BAD, "%s: not a photofinish recording", c->path);
    if (c->size < sizeof h)
        return pf_fail(e, PF_BAD, "%s: truncated: shorter than its header of %zu bytes", c->path,
                       sizeof h);
    memcpy(&h, c->bytes, sizeof h);
    if (h.version != PF_CLIP_VERSION)
        return pf_fail(e, PF_BAD, "%s: clip format version %u, but this pf reads version %d",
                       c->path, h.version, PF_CLIP_VERSION);
    struct reading r = {0};
    pf_status s = read_chunks(c, &r, e);
    c->meta.argv = end_list(&r.args);
    c->meta.env = end_list(&r.env);
    if (s == PF_OK && (!c->meta.program || !c->meta.argv || !c->meta.cwd))
        s = pf_fail(e, PF_BAD, "%s: the description of the run is incomplete", c->path);
    if (s == PF_OK && !has_value_for_each(c))
        s = pf_fail(e, PF_BAD, "%s: field %d has %zu bytes, expected one for each variable",
                    c->path, PF_FIELD_VALUES, c->nvalues);
    return s;
}

pf_status pf_clip_open_bytes(struct pf_clip *c, const char *path, const void *bytes, size_t n,
                             struct pf_error *e)
{
    *c = (struct pf_clip){.bytes = bytes, .size = n, .path = pf_mem_copy(path)};
    pf_status s = open_bytes(c, e);
    c->borrowed = true;
    if (s != PF_OK)
        pf_clip_release(c);
    return s;
}

pf_status pf_clip_open(struct pf_clip *c, const char *path, struct pf_error *e)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *c = (struct pf_clip){0};
    if (fd < 0 || fstat(fd, &st)) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(reason));
    }
    if (!S_ISREG(st.st_mode) || st.st_size == 0) {
        close(fd);
        return pf_fail(e, PF_BAD, "%s: %s", path,
                       S_ISREG(st.st_mode)   ? "is empty"
                       : S_ISDIR(st.st_mode) ? "is a directory"
                                             : "not a regular file");
    }
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int reason = errno;
    close(fd);
    if (bytes == MAP_FAILED)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(reason));
    pf_status s = pf_clip_open_bytes(c, path, bytes, (size_t)st.st_size, e);
    c->borrowed = false;
    if (s != PF_OK)
        munmap(bytes, (size_t)st.st_size);
    return s;
}

void pf_clip_release(struct pf_clip *c)
{
    if (c->bytes && !c->borrowed)
        munmap((void *)c->bytes, c->size);
    for (int s = 0; s < PF_STREAMS; s++)
        pf_vec_release(&c->stream[s].chunks);
    pf_clip_meta_release(&c->meta);
    free(c->path);
    *c = (struct pf_clip){0};
}

pf_status pf_clip_unpack(const struct pf_clip *c, unsigned stream, size_t chunk, void *to,
                         struct pf_error *e)
{
    return unpack(c, &c->stream[stream].chunks.at[chunk], to, e);
}

pf_status pf_clip_stream(const struct pf_clip *c, unsigned stream, unsigned char **out, size_t *n,
                         struct pf_error *e)
{
    pf_status s = PF_OK;
    *n = c->stream[stream].length;
    *out = pf_mem_resize(NULL, *n, 1);
    for (size_t k = 0; s == PF_OK && k < c->stream[stream].chunks.len; k++)
        s = pf_clip_unpack(c, stream, k, *out + c->stream[stream].chunks.at[k].at, e);
    if (s != PF_OK) {
        free(*out);
        *out = NULL;
    }
    return s;
}
