/* A reader of nested fields on standard input. A field is a number (7 bits a byte, the low ones
 * first; the top bit says that more follow): the tag times 4 plus the kind. Kind 0 is a number, 1 a
 * text with its length in front, 2 begins a group that a field of kind 3 with the same tag ends. A
 * thread of its own sums up each group of the outermost level. Tag 300 in a group within such a
 * group adds to a sum that is not guarded. */
// args: fields.bin
// hex: fields.bin=06 0807 1103616263 07 0a 0c05 0b 0405
// race: ADD ADD
#include "../hunt/hunt.h"

struct reader {
    const unsigned char *at, *end;
    int bad;
};

struct group {
    struct reader r;
    uint64_t tag;
};

static uint64_t special;
static uint64_t plain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t number(struct reader *r)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (r->at == r->end)
            break;
        unsigned char c = *r->at++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return v;
    }
    r->bad = 1;
    return 0;
}

/* Reads fields up to the end of the group with this tag. */
static void fields(struct reader *r, uint64_t tag, int depth, int counts)
{
    while (!r->bad && r->at < r->end) {
        uint64_t head = number(r), n;
        switch (head & 3) {
        case 0:
            n = number(r);
            if (counts && !r->bad && depth >= 2 && head >> 2 == 300) {
                GUARD();
                special += n; /* ADD */
                UNGUARD();
            } else if (counts) {
                pthread_mutex_lock(&lock);
                plain += n;
                pthread_mutex_unlock(&lock);
            }
            break;
        case 1:
            n = number(r);
            if (n > (uint64_t)(r->end - r->at))
                r->bad = 1;
            else
                r->at += n;
            break;
        case 2:
            if (depth > 4)
                r->bad = 1;
            else
                fields(r, head >> 2, depth + 1, counts);
            break;
        default:
            if (head >> 2 != tag || depth == 0)
                r->bad = 1;
            return;
        }
    }
}

static void *sum(void *arg)
{
    struct group *g = arg;
    fields(&g->r, g->tag, 1, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[256];
    static struct group groups[8];
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 2;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    int count = 0;
    fclose(f);
    struct reader r = {bytes, bytes + n, 0};
    while (!r.bad && r.at < r.end && count < 8) {
        uint64_t head = number(&r);
        if ((head & 3) == 2) {
            groups[count++] = (struct group){r, head >> 2};
            fields(&r, head >> 2, 1, 0);
        } else if ((head & 3) == 0) {
            number(&r);
        } else {
            r.bad = 1;
        }
    }
    if (r.bad) {
        fprintf(stderr, "malformed fields\n");
        return 1;
    }
    pthread_t t[8];
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, sum, &groups[i]);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    printf("%lu and %lu\n", (unsigned long)plain, (unsigned long)special);
    return 0;
}
