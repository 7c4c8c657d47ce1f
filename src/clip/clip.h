/*
 * clip.h - a recording as one file: reader and writer (docs/format/clip.md).
 *
 * Model:   a clip holds what was run (program, build id, arguments, environment, working folder,
 *          policy), the streams, and how the run ended. A file whose last chunks are missing or
 *          damaged is valid up to that place: it is `cut`, with the offset and the reason.
 * Memory:  a writer and a clip own what they hold until free/release.
 * Threads: not thread-safe; the caller serialises.
 * Errors:  PF_IO with path and reason; PF_BAD names the file, the offset, what was expected and
 *          what was found.
 */
#ifndef PF_CLIP_H
#define PF_CLIP_H

#include "chunk.h"
#include "status.h"
#include "vector.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

/* What was run. The owner of the struct owns the strings; lists end with NULL. */
struct pf_clip_meta {
    char *tool, *program, *cwd, *schedule, *exclude;
    char *without_lock; /* FILE:LINE of the lock operation that was removed; NULL: none */
    /* new contents of files, sockets and random bytes, lines SOURCE=HEX; changes that the run makes
     * to files are private. NULL: the inputs are the real ones, and changes are not private. */
    char *served;
    char *process; /* path of the forked child that was recorded (channel.h); NULL: no child */
    char *machine; /* where a clip that was read was recorded (clip_machine.h); NULL: unknown */
    char *race; /* the two events that the clip was made to show, "T1:137<T2:40"; NULL: none */
    char **argv, **env;
    unsigned char *values; /* enum pf_environment_value of each variable; NULL: all are STORED */
    uint64_t build; /* XXH64 of the executable */
    uint64_t
        runtime; /* program not instrumented: XXH64 of the preloaded runtime; 0: instrumented */
    uint32_t abi;
    uint32_t traced; /* version of the trace in the clip; 0: no trace */
    uint32_t watched; /* every access was checked for memory errors */
    struct pf_memory_settings memory; /* the memory model of the run */
    uint64_t stack; /* limit of the stack in bytes; 0: not known */
    uint64_t origin; /* of a clip that was read: where it was written, see pf_clip_origin */
};
void pf_clip_meta_release(struct pf_clip_meta *m);

/* Why a clip contains the whole environment. */
enum pf_whole_environment { PF_WHOLE_NOT, PF_WHOLE_PASSED, PF_WHOLE_READ };

/* How the run ended. */
struct pf_clip_end {
    int wait; /* status from waitpid */
    enum pf_outcome outcome;
    char text[2048];
    uint32_t errors; /* memory errors in this run */
    char error[256]; /* the first one as text; not stored in the file */
    char failure[512]; /* "THREAD: STACK" (field 39 of docs/format/clip.md); "": it did not fail */
    uint64_t events; /* of all threads; not stored in the file */
    /* threads of the program, plus processes that it and its children started; not stored in the
     * file */
    uint32_t threads;
    uint32_t copies; /* forked children that ran code of the program and were not recorded */
    uint32_t created; /* of a forked child: threads that it has created */
    uint32_t succeeded; /* of a forked child: the program that pf started ended with status 0 */
    /* how often the lock operation of meta.without_lock was removed; not stored in the file */
    uint32_t removed_locks;
    uint32_t whole; /* enum pf_whole_environment */
    /* names of variables that were read although they are withheld; not stored in the file */
    char withheld[256];
    uint32_t unshown; /* in a replay: errno of the first output that could not be shown; 0: none */
    struct pf_reached reached; /* which accesses the policy or plan reached */
    struct pf_divergence divergence; /* of outcome DIVERGED; not stored in the file */
};
/* --- writing --- */

struct pf_clip_writer;

/* Creates the file, or truncates an existing one, and writes META, with filler for the values that
 * `meta` does not want to be stored. Only the user may read the file. */
PF_MUST_USE pf_status pf_clip_create(struct pf_clip_writer **w, const char *path,
                                     const struct pf_clip_meta *meta, struct pf_error *e);
/* Appends the next n bytes of a stream as one chunk; n <= PF_CHUNK_MAX. */
PF_MUST_USE pf_status pf_clip_append(struct pf_clip_writer *w, unsigned stream, const void *bytes,
                                     size_t n, struct pf_error *e);
/* Writes END and flushes the file to disk. */
PF_MUST_USE pf_status pf_clip_finish(struct pf_clip_writer *w, const struct pf_clip_end *end,
                                     struct pf_error *e);
/* Makes finish return without flushing to disk; for clips that are written in large numbers. */
void pf_clip_skip_sync(struct pf_clip_writer *w);
/* call after finish; without finish the file stays cut */
void pf_clip_writer_free(struct pf_clip_writer *w);

/* --- reading --- */

struct pf_clip_chunk {
    uint64_t offset; /* of the stored bytes in the file */
    uint64_t at; /* position in the stream */
    uint32_t stored, raw;
    uint8_t codec;
};

struct pf_clip {
    char *path;
    const unsigned char *bytes; /* the mapped file */
    size_t size;
    bool borrowed; /* the caller owns `bytes` */
    struct pf_clip_meta meta;
    size_t nvalues; /* of a file: bytes in meta.values */
    bool ended; /* the file has an END chunk: nothing is missing */
    struct pf_clip_end end;
    char cut[256]; /* if not ended: where the valid part ends, and why */
    struct {
        PF_VEC(struct pf_clip_chunk) chunks;
        uint64_t length; /* in raw bytes */
    } stream[PF_STREAMS];
};

/* Maps the file and verifies every chunk. */
PF_MUST_USE pf_status pf_clip_open(struct pf_clip *c, const char *path, struct pf_error *e);
/* The same for bytes in memory, which the caller keeps alive; `path` is only used in messages. */
PF_MUST_USE pf_status pf_clip_open_bytes(struct pf_clip *c, const char *path, const void *bytes,
                                         size_t n, struct pf_error *e);
void pf_clip_release(struct pf_clip *c); /* twice is fine */
/* Decompresses one chunk into `to`, which must have room for its raw size. */
PF_MUST_USE pf_status pf_clip_unpack(const struct pf_clip *c, unsigned stream, size_t chunk,
                                     void *to, struct pf_error *e);
/* Returns a whole stream in memory that the caller frees, even if the stream is empty. */
PF_MUST_USE pf_status pf_clip_stream(const struct pf_clip *c, unsigned stream, unsigned char **out,
                                     size_t *n, struct pf_error *e);
/* Turns a continuation or a forked child into an ordinary clip at `path`, described by `meta`: the
 * streams of `before` up to the copy of the process, then the pieces in the file `pieces`
 * (channel.h). Sets the outcome and text of `end` from the pieces; the caller fills in the rest of
 * it. If `end` is NULL, the process still runs: the clip is cut. */
PF_MUST_USE pf_status pf_clip_join(const struct pf_clip *before, const char *pieces,
                                   const char *path, const struct pf_clip_meta *meta,
                                   struct pf_clip_end *end, struct pf_error *e);

/* Moves a finished clip without events to another path. A clip that is only renamed counts as one
 * from elsewhere. */
PF_MUST_USE pf_status pf_clip_move(const char *from, const char *to, struct pf_error *e);

/* Sets the outcome and text of `end` from the pieces of a continuation; leaves the rest
 * unchanged. */
PF_MUST_USE pf_status pf_clip_pieces_end(const char *pieces, struct pf_clip_end *end,
                                         struct pf_error *e);

/* Identifies this machine, this user and the absolute path of the file `path`, which exists. */
uint64_t pf_clip_origin(const char *path);
/* True for the status of a program that died of a signal by itself: not of one that pf and users
 * send to end a program. */
static inline bool pf_wait_died(int wait)
{
    int n = WIFSIGNALED(wait) ? WTERMSIG(wait) : 0;
    return n && n != SIGTERM && n != SIGKILL && n != SIGINT && n != SIGHUP;
}

/* XXH64; identifies the contents of files. */
uint64_t pf_clip_hash(const void *bytes, size_t n);
/* The same for the contents of a file: the build id of a program. */
PF_MUST_USE pf_status pf_clip_hash_file(const char *path, uint64_t *hash, struct pf_error *e);
/* True if the bytes begin with the magic number of a clip. */
bool pf_clip_sniff(const void *bytes, size_t n);
/* The same for the first bytes of a file. */
bool pf_clip_is_file(const char *path);

#endif
