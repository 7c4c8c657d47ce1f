/*
 * chunk.h - the layout of a clip file; docs/format/clip.md is normative.
 *
 * Model:   a header, then chunks. A chunk holds the next bytes of one stream and is compressed on
 *          its own. Its checksum covers its header and its stored bytes, so a reader can verify
 *          each chunk without the rest of the file.
 */
#ifndef PF_CLIP_CHUNK_H
#define PF_CLIP_CHUNK_H

#include "channel.h"

#define PF_CLIP_MAGIC "\x89PFclip\n"
#define PF_CLIP_VERSION 1
#define PF_CHUNK_MAGIC 0x6b6e6863u /* "chnk" */
#define PF_CHUNK_MAX (64u << 20)   /* readers reject larger chunks */

struct pf_clip_header {
    char magic[8];
    uint32_t version;
    uint32_t reserved;
};

/* Streams that exist only in the file, not in the channel. */
enum { PF_STREAM_META = 254, PF_STREAM_END = 255 };
enum pf_codec { PF_CODEC_RAW, PF_CODEC_ZSTD };

struct pf_chunk {
    uint32_t magic;
    uint8_t stream, codec;
    uint16_t reserved;
    uint32_t stored; /* bytes that follow this header */
    uint32_t raw;    /* bytes after decompression */
    uint64_t at;     /* position in the stream of the first raw byte */
    /* XXH64 of the stored bytes, seeded with XXH64 (seed 0) of the first 24 bytes of this header */
    uint64_t check;
};
_Static_assert(sizeof(struct pf_clip_header) == 16, "as in docs/format/clip.md");
_Static_assert(sizeof(struct pf_chunk) == 32, "as in docs/format/clip.md");

uint64_t pf_chunk_check(const struct pf_chunk *k, const void *stored);

/* META and END chunks are lists of fields: tag, length, bytes. */
struct pf_field {
    uint32_t tag;
    uint32_t length;
};
/* PF_FIELD(NAME, tag, many): with `many`, a chunk may have several fields of this tag, in order. */
#define PF_FIELD_LIST(PF_FIELD)                                                                    \
    PF_FIELD(TOOL, 1, 0) /* version of pf, text */                                                 \
    PF_FIELD(ABI, 2, 0) /* PF_ABI_VERSION, u32 */                                                  \
    PF_FIELD(PROGRAM, 3, 0) /* the executable, an absolute path */                                 \
    PF_FIELD(BUILD, 4, 0) /* XXH64 of the executable, u64 */                                       \
    PF_FIELD(CWD, 5, 0)                                                                            \
    PF_FIELD(ARG, 6, 1) /* argv, in order */                                                       \
    PF_FIELD(ENV, 7, 1) /* the environment, in order */                                            \
    PF_FIELD(SCHEDULE, 8, 0) /* the requested policy, text */                                      \
    PF_FIELD(EXCLUDE, 9, 0)                                                                        \
    PF_FIELD(TRACED, 10, 0) /* u32: version of the trace if the file has events, else 0 */         \
    PF_FIELD(RUNTIME, 12, 0) /* program not instrumented: XXH64 of the preloaded runtime */        \
    PF_FIELD(RACE, 11, 0) /* the two events that the clip shows: "T1:137<T2:40" */                 \
    PF_FIELD(WATCHED, 13, 0) /* u32: 1 if every access was checked for memory errors */            \
    PF_FIELD(STACK, 14, 0) /* u64: the limit of the stack (RLIMIT_STACK), which moves mappings */  \
    PF_FIELD(VALUES, 15, 0) /* one byte for each ENV: enum pf_environment_value; absent: STORED */ \
    PF_FIELD(ORIGIN, 16, 0) /* u64: hash of machine, user and path where it was written */         \
    PF_FIELD(PROCESS, 17, 0) /* path of the forked child, "2.1"; absent: it is not a child */      \
    PF_FIELD(MEMORY, 18, 0) /* struct pf_memory_settings; absent: sequential consistency */        \
    PF_FIELD(WITHOUT_LOCK, 19, 0) /* FILE:LINE of the lock operation that was removed */           \
    PF_FIELD(SERVED, 20, 0) /* changes to files were private; lines SOURCE=HEX of new contents */  \
    PF_FIELD(MACHINE, 21, 0) /* CPU features, kernel and libc, text (clip_machine.h) */            \
    PF_FIELD(STATUS, 32, 0) /* END: status from waitpid, u32 */                                    \
    PF_FIELD(OUTCOME, 33, 0) /* END: enum pf_outcome, u32 */                                       \
    PF_FIELD(TEXT, 34, 0) /* END: explains the outcome */                                          \
    PF_FIELD(TOTAL, 35, 1) /* END: u64, length of each stream in order */                          \
    PF_FIELD(REACHED, 36, 0) /* END: struct pf_reached with its first n accesses */                \
    PF_FIELD(ERRORS, 37, 0) /* END: number of memory errors, u32; absent: none */                  \
    PF_FIELD(COPIES, 38, 0) /* END: forked children that were not recorded, u32; absent: 0 */      \
    PF_FIELD(FAILURE, 39, 0) /* END: where the program failed; absent: it did not */               \
    PF_FIELD(WHOLE, 40, 0) /* END: enum pf_whole_environment, u32; absent: 0 */                    \
    PF_FIELD(SUCCEEDED, 41, 0) /* END of a child: u32, 1 if the program ended with status 0 */     \
    PF_FIELD(CREATED, 42, 0) /* END of a child: number of threads that it created, u32 */

enum pf_field_tag {
#define PF_FIELD(name, tag, many) PF_FIELD_##name = tag,
    PF_FIELD_LIST(PF_FIELD)
#undef PF_FIELD
};

#endif
