/*
 * clip_join.c - makes a clip of a continuation or a forked child: the streams of the run up to the
 * copy of the process, then the pieces that the copy wrote.
 */
#define _GNU_SOURCE
#include "clip.h"
#include "file.h"
#include "vector.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef PF_VEC(unsigned char) joined_stream;

static void add(joined_stream *s, const void *bytes, size_t n)
{
    pf_vec_reserve(s, n + 1);
    memcpy(s->at + s->len, bytes, n);
    s->len += n;
}

/* Appends the bytes of all pieces to their streams. An incomplete last piece (the process was
 * killed while it wrote) is dropped. */
static pf_status collect(joined_stream streams[PF_STREAMS], struct pf_clip_end *end,
                         const unsigned char *bytes, size_t n, const char *path, struct pf_error *e)
{
    for (size_t at = PF_STREAMS * sizeof(uint64_t); n - at >= sizeof(struct pf_piece);) {
        struct pf_piece p;
        memcpy(&p, bytes + at, sizeof p);
        at += sizeof p;
        if (p.stream > PF_STREAMS)
            return pf_fail(e, PF_BAD, "%s: offset %zu: piece with an unknown stream", path, at);
        if (p.n > n - at)
            break;
        if (p.stream < PF_STREAMS)
            add(&streams[p.stream], bytes + at, p.n);
        if (p.stream == PF_STREAMS && p.n && end && end->outcome == PF_OUTCOME_NONE) {
            size_t text = p.n - 1 < sizeof end->text ? p.n - 1 : sizeof end->text - 1;
            end->outcome = (enum pf_outcome)bytes[at];
            memcpy(end->text, bytes + at + 1, text);
            end->text[text] = 0;
        }
        at += p.n;
    }
    return PF_OK;
}

static pf_status write_clip(const struct pf_clip_meta *meta, const joined_stream *streams,
                            const char *path, const struct pf_clip_end *end, struct pf_error *e)
{
    struct pf_clip_writer *w;
    struct pf_clip_meta untraced = *meta;
    untraced.traced = 0;
    pf_status s = pf_clip_create(&w, path, &untraced, e);
    if (s != PF_OK)
        return s;
    pf_clip_skip_sync(w);
    for (unsigned i = 0; i < PF_STREAMS; i++)
        for (size_t at = 0; s == PF_OK && at < streams[i].len; at += PF_CHUNK_MAX / 4) {
            size_t left = streams[i].len - at;
            s = pf_clip_append(w, i, streams[i].at + at,
                               left < PF_CHUNK_MAX / 4 ? left : PF_CHUNK_MAX / 4, e);
        }
    if (s == PF_OK && end)
        s = pf_clip_finish(w, end, e);
    pf_clip_writer_free(w);
    return s;
}

pf_status pf_clip_join(const struct pf_clip *before, const char *pieces, const char *path,
                       const struct pf_clip_meta *meta, struct pf_clip_end *end, struct pf_error *e)
{
    joined_stream streams[PF_STREAMS] = {{0}};
    uint64_t had[PF_STREAMS];
    char *bytes;
    size_t n;
    pf_status s = pf_file_read(pieces, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    if (n < sizeof had)
        s = pf_fail(e, PF_BAD, "%s: truncated: shorter than its header of %zu bytes", pieces,
                    sizeof had);
    else
        memcpy(had, bytes, sizeof had);
    for (unsigned i = 0; s == PF_OK && i < PF_STREAMS; i++) {
        if (PF_STREAM_IS_EVENTS(i))
            continue;
        s = pf_clip_stream(before, i, &streams[i].at, &streams[i].len, e);
        streams[i].cap = streams[i].len;
        if (s == PF_OK && streams[i].len < had[i])
            s = pf_fail(e, PF_BAD, "%s: shorter than when the process of %s was copied",
                        before->path, pieces);
        streams[i].len = s == PF_OK ? had[i] : 0;
    }
    if (s == PF_OK)
        s = collect(streams, end, (unsigned char *)bytes, n, pieces, e);
    if (s == PF_OK)
        s = write_clip(meta, streams, path, end, e);
    for (unsigned i = 0; i < PF_STREAMS; i++)
        pf_vec_release(&streams[i]);
    free(bytes);
    return s;
}

pf_status pf_clip_move(const char *from, const char *to, struct pf_error *e)
{
    joined_stream streams[PF_STREAMS] = {{0}};
    struct pf_clip clip;
    pf_status s = pf_clip_open(&clip, from, e);
    if (s != PF_OK)
        return s;
    for (unsigned i = 0; s == PF_OK && i < PF_STREAMS; i++)
        if (!PF_STREAM_IS_EVENTS(i)) {
            s = pf_clip_stream(&clip, i, &streams[i].at, &streams[i].len, e);
            streams[i].cap = streams[i].len;
        }
    if (s == PF_OK)
        s = write_clip(&clip.meta, streams, to, &clip.end, e);
    for (unsigned i = 0; i < PF_STREAMS; i++)
        pf_vec_release(&streams[i]);
    pf_clip_release(&clip);
    if (s == PF_OK)
        unlink(from);
    return s;
}

pf_status pf_clip_pieces_end(const char *pieces, struct pf_clip_end *end, struct pf_error *e)
{
    joined_stream streams[PF_STREAMS] = {{0}};
    char *bytes;
    size_t n;
    pf_status s = pf_file_read(pieces, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    if (n >= PF_STREAMS * sizeof(uint64_t))
        s = collect(streams, end, (unsigned char *)bytes, n, pieces, e);
    for (unsigned i = 0; i < PF_STREAMS; i++)
        pf_vec_release(&streams[i]);
    free(bytes);
    return s;
}
