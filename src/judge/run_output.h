/*
 * run_output.h - what a run has written, one stream of bytes for each descriptor.
 *
 * Model:   what the program writes to pipes, socket pairs and eventfds of its own is not output.
 *          Standard output and standard error are kept as bytes. Of other descriptors only the
 *          length and a chain of hashes of the pieces that were written are known. Two runs have
 *          the same output if these are equal for every descriptor.
 * Memory:  release frees everything; twice is fine.
 * Errors:  PF_IO, PF_BAD with the path of the clip.
 */
#ifndef PF_JUDGE_RUN_OUTPUT_H
#define PF_JUDGE_RUN_OUTPUT_H

#include "clip.h"
#include "vector.h"

/* One piece: what one system call wrote. */
struct pf_output_piece {
    uint64_t at; /* offset of its first byte in the stream */
    uint64_t hash; /* chain over the hashes of all pieces up to this one */
    uint32_t thread;
};

struct pf_output_stream {
    int fd;
    bool kept; /* the bytes are known */
    uint64_t length, hash; /* hash: chain over the hashes of all pieces */
    PF_VEC(char) bytes;
    PF_VEC(struct pf_output_piece) pieces;
};

struct pf_run_output {
    PF_VEC(struct pf_output_stream) streams; /* sorted by descriptor */
};

PF_MUST_USE pf_status pf_run_output_read(struct pf_run_output *o, const struct pf_clip *clip,
                                         struct pf_error *e);
void pf_run_output_release(struct pf_run_output *o);
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
    uint64_t at; /* offset of the first byte that differs */
    /* the lines of the two runs that contain it, NUL-terminated; "": the stream ends before */
    char text[2][160];
    uint32_t thread[2]; /* which thread wrote it; PF_NO_THREAD: none */
};
/* Finds the first difference, of the lowest descriptor. False: there is none. */
bool pf_run_output_difference(const struct pf_run_output *a, const struct pf_run_output *b,
                              struct pf_output_difference *d);

#endif
