/*
 * run_output.h - what a run has written, one stream of bytes for each descriptor.
 *
 * Model:   what the program writes to pipes, socket pairs and eventfds of its own is not output.
 *          Standard output and standard error are kept as bytes. Of other descriptors only the
 *          length and the hash are known (output_record.h); they do not depend on the pieces in
 *          which a program writes. What is written at a position of a file (pwrite) is compared by
 *          position, not in the order of the calls, unless parts overlap. Two runs have the same
 *          output if these are equal for every descriptor.
 * Memory:  release frees everything; twice is fine.
 * Errors:  PF_IO, PF_BAD with the path of the clip.
 */
#ifndef PF_CONFIRM_RUN_OUTPUT_H
#define PF_CONFIRM_RUN_OUTPUT_H

#include "clip.h"
#include "vector.h"

/* One piece: what one system call wrote. */
struct pf_output_piece {
    uint64_t at; /* offset of its first byte in the stream */
    uint64_t hash; /* of the stream up to the end of this piece */
    uint64_t written; /* bytes that the descriptor got before, at positions and in the stream */
    uint32_t thread;
};

/* Bytes at a position of a file: one piece, or several in a row. */
struct pf_output_part {
    uint64_t at, length, hash;
    uint64_t written; /* as above, of the first piece */
    uint32_t thread; /* likewise */
};

/* Bytes that were removed after the byte at this offset (output_numbers.h). */
struct pf_output_removed {
    uint64_t at, n;
};

struct pf_output_stream {
    int fd;
    bool kept; /* the bytes are known */
    uint64_t length, hash; /* of the stream */
    uint64_t written; /* bytes in all, also those at positions */
    PF_VEC(char) bytes;
    PF_VEC(struct pf_output_removed) removed; /* from `bytes` */
    PF_VEC(struct pf_output_piece) pieces;
    PF_VEC(struct pf_output_part) parts; /* by position; if parts overlap, as they were written */
};

struct pf_run_output {
    PF_VEC(struct pf_output_stream) streams; /* sorted by descriptor */
};

PF_MUST_USE pf_status pf_run_output_read(struct pf_run_output *o, const struct pf_clip *clip,
                                         struct pf_error *e);
void pf_run_output_release(struct pf_run_output *o);
bool pf_output_stream_same(const struct pf_output_stream *a, const struct pf_output_stream *b);
bool pf_run_output_same(const struct pf_run_output *a, const struct pf_run_output *b);
/* Returns a bit for each descriptor below 64 whose output differs. Sets *all to the bits of all
 * that have output in one of the runs. */
uint64_t pf_run_output_differing(const struct pf_run_output *a, const struct pf_run_output *b,
                                 uint64_t *all);
/* Forgets what was written to the descriptors with these bits. */
void pf_run_output_drop(struct pf_run_output *o, uint64_t bits);
/* True if both consist of the same lines, in any order. */
bool pf_run_output_permuted(const struct pf_run_output *a, const struct pf_run_output *b);

struct pf_output_difference {
    int fd;
    bool kept; /* the bytes are known; otherwise `at` is the start of the piece that differs */
    uint64_t at; /* offset of the first byte that differs, in the stream or in the file */
    uint64_t written[2]; /* bytes that the descriptor got before it, in each run */
    /* the lines of the two runs that contain it, NUL-terminated; "": the stream ends before */
    char text[2][160];
    uint32_t thread[2]; /* which thread wrote it; PF_NO_THREAD: none */
};
/* Finds the first difference, of the lowest descriptor. False: there is none. */
bool pf_run_output_difference(const struct pf_run_output *a, const struct pf_run_output *b,
                              struct pf_output_difference *d);

#endif
