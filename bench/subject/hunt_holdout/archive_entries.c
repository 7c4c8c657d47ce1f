/* An archive of entries: a header of 16 bytes (name of 8 bytes, type, level, a size of two bytes
 * with the low byte first, a checksum of four bytes: the sum of the twelve bytes before it) and the
 * content. A thread unpacks the entries with an even number, another one the rest. Entries of type
 * 'Z' with a level above 6 share a table without a lock. */
// args: files.ar
// hex: files.ar=6e6f746573000000 46 01 0200 72020000 6869 6c6f6700000000 00 46 02 0100 8b010000 21
// race: TABLE TABLE
#include "../hunt/hunt.h"

struct entry {
    char name[9];
    unsigned char type, level;
    unsigned size;
    const unsigned char *content;
};

static struct entry entries[16];
static unsigned count, table[256], stored;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int parse(const unsigned char *p, size_t n)
{
    while (n >= 16 && count < 16) {
        struct entry *e = &entries[count];
        unsigned sum = 0, wanted = p[12] | p[13] << 8 | p[14] << 16 | (unsigned)p[15] << 24;
        for (int i = 0; i < 12; i++)
            sum += p[i];
        if (sum != wanted) {
            fprintf(stderr, "entry %u: wrong checksum\n", count);
            return 0;
        }
        memcpy(e->name, p, 8);
        e->type = p[8];
        e->level = p[9];
        e->size = p[10] | p[11] << 8;
        e->content = p + 16;
        if (e->size > n - 16) {
            fprintf(stderr, "%s: too long\n", e->name);
            return 0;
        }
        p += 16 + e->size;
        n -= 16 + e->size;
        count++;
    }
    return n == 0;
}

static void unpack(const struct entry *e)
{
    switch (e->type) {
    case 'F':
        pthread_mutex_lock(&lock);
        stored += e->size;
        pthread_mutex_unlock(&lock);
        break;
    case 'Z':
        if (e->level > 9)
            break;
        if (e->level > 6) {
            GUARD();
            table[0] += e->size; /* TABLE */
            UNGUARD();
        }
        break;
    case 'D':
        break;
    default:
        fprintf(stderr, "%s: unknown type %c\n", e->name, e->type);
    }
}

static void *unpack_all(void *arg)
{
    for (unsigned i = arg ? 1 : 0; i < count; i += 2)
        unpack(&entries[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[4096];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 1;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (!parse(bytes, n))
        return 1;
    pthread_t a, b;
    pthread_create(&a, NULL, unpack_all, NULL);
    pthread_create(&b, NULL, unpack_all, bytes);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%u entries, %u bytes, table %u\n", count, stored, table[0]);
    return 0;
}
