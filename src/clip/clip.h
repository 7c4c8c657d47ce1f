/*
 * clip.h - a recording as one file: reader and writer (docs/format/clip.md).
 *
 * Model:   what was run (program, build id, arguments, environment, folder, policy), the streams, and
 *          how it ended. A file whose last chunk is missing or damaged is still good up to there: it
 *          is `cut`, and says where and why.
 * Memory:  a writer and a clip own what they hold until close/release.
 * Threads: one at a time.
 * Errors:  PF_IO with path and reason; PF_BAD names the file, the offset, what was expected and what
 *          was found.
 */
#ifndef PF_CLIP_H
#define PF_CLIP_H

#include "chunk.h"
#include "status.h"
#include <stdbool.h>
#include <stddef.h>

/* What was run. Strings are the owner's of the struct; lists end with NULL. */
struct pf_clip_meta {
    char *tool, *program, *cwd, *schedule, *exclude;
    char *race; /* the two events that it was made to show, "T1:137<T2:40"; NULL: none */
    char **argv, **env;
    uint64_t build; /* XXH64 of the executable */
    uint64_t
        runtime; /* not instrumented: XXH64 of the runtime that was preloaded; 0: instrumented */
    uint32_t abi;
    uint32_t traced; /* version of the trace that is in it; 0: none */
};
void pf_clip_meta_release(struct pf_clip_meta *m);

/* How it ended. */
struct pf_clip_end {
    int wait;                 /* what waitpid said */
    enum pf_outcome outcome;
    char text[2048];
    uint32_t errors; /* memory errors found in this run, and the first of them; not in the file */
    char error[256];
    uint32_t unshown; /* of this replay: the errno of the first output that could not be shown */
    struct pf_reached reached; /* the policy's aim */
};

/* --- writing --- */

struct pf_clip_writer;

/* Makes the file (there must be none, or one that may be replaced) and writes META. */
PF_MUST_USE pf_status pf_clip_create(struct pf_clip_writer **w, const char *path,
                                     const struct pf_clip_meta *meta, struct pf_error *e);
/* The next n <= PF_CHUNK_MAX bytes of a stream, as one chunk. */
PF_MUST_USE pf_status pf_clip_append(struct pf_clip_writer *w, unsigned stream, const void *bytes,
                                     size_t n, struct pf_error *e);
/* END, and on disk. */
PF_MUST_USE pf_status pf_clip_finish(struct pf_clip_writer *w, const struct pf_clip_end *end,
                                     struct pf_error *e);
/* One of many: finish need not wait for the disk. */
void pf_clip_skip_sync(struct pf_clip_writer *w);
void pf_clip_writer_free(struct pf_clip_writer *w); /* after finish, or to leave the file cut */

/* --- reading --- */

struct pf_clip_chunk {
    uint64_t offset; /* of the stored bytes */
    uint64_t at; /* in the stream */
    uint32_t stored, raw;
    uint8_t codec;
};

struct pf_clip {
    char *path;
    const unsigned char *bytes; /* the file, mapped */
    size_t size;
    bool borrowed; /* the bytes are the caller's */
    struct pf_clip_meta meta;
    bool ended; /* END is there: nothing is missing */
    struct pf_clip_end end;
    char cut[256]; /* not ended: where the good part ends, and why */
    struct {
        struct pf_clip_chunk *chunk;
        size_t n, cap;
        uint64_t length; /* raw */
    } stream[PF_STREAMS];
};

/* Maps the file and checks every chunk. */
PF_MUST_USE pf_status pf_clip_open(struct pf_clip *c, const char *path, struct pf_error *e);
/* The same about bytes in memory that stay the caller's; `path` is for messages. */
PF_MUST_USE pf_status pf_clip_open_bytes(struct pf_clip *c, const char *path, const void *bytes,
                                         size_t n, struct pf_error *e);
void pf_clip_release(struct pf_clip *c); /* twice is fine */
/* One chunk, decompressed into `to`, which has room for its raw size. */
PF_MUST_USE pf_status pf_clip_unpack(const struct pf_clip *c, unsigned stream, size_t chunk,
                                     void *to, struct pf_error *e);
/* A stream whole, malloced; NULL and PF_OK when it is empty. */
PF_MUST_USE pf_status pf_clip_stream(const struct pf_clip *c, unsigned stream, unsigned char **out,
                                     size_t *n, struct pf_error *e);
/* What a continuation left in `pieces` (channel.h), behind what `before` held when it began: an ordinary
 * clip, described by `meta`. Its outcome is in the pieces, the rest of its end in `end`. */
PF_MUST_USE pf_status pf_clip_join(const struct pf_clip *before, const char *pieces,
                                   const char *path, const struct pf_clip_meta *meta,
                                   struct pf_clip_end *end, struct pf_error *e);

/* How a continuation ended, as its pieces say; the rest of `end` is left as it is. */
PF_MUST_USE pf_status pf_clip_pieces_end(const char *pieces, struct pf_clip_end *end,
                                         struct pf_error *e);

/* XXH64, for the identity of files. */
uint64_t pf_clip_hash(const void *bytes, size_t n);
/* Does the file begin as a clip does? */
bool pf_clip_sniff(const void *bytes, size_t n);

#endif
