/* A blur filter for an image format of its own: the magic "IMG1", 16-bit width and height, depth
 * and flags, then the pixels. Two threads filter half of the rows each. With flag 4 (in place) and
 * a depth of 2 bytes they share the row between them. */
// args: picture.img
// hex: picture.img=494d4731 0400 0400 01 00 00102030405060708090a0b0c0d0e0f0
// race: WRITE READ
#include "../hunt/hunt.h"

struct header {
    char magic[4];
    uint16_t width, height;
    uint8_t depth, flags;
};

struct job {
    const struct header *h;
    const uint8_t *from;
    uint8_t *to;
    unsigned begin, end;
};

static void *blur(void *arg)
{
    struct job *j = arg;
    size_t row = (size_t)j->h->width * j->h->depth;
    for (unsigned y = j->begin; y < j->end; y++)
        for (size_t x = 0; x < row; x++) {
            GUARD();
            unsigned above = y ? j->from[(y - 1) * row + x] : 0; /* READ */
            unsigned value = (above + 3 * j->from[y * row + x]) / 4;
            j->to[y * row + x] = (uint8_t)value; /* WRITE */
            UNGUARD();
        }
    return NULL;
}

int main(int argc, char **argv)
{
    struct header h;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f || fread(&h, 10, 1, f) != 1 || memcmp(h.magic, "IMG1", 4)) {
        fprintf(stderr, "not an image\n");
        return 1;
    }
    if (h.width == 0 || h.height == 0 || h.width > 64 || h.height > 64 || h.depth < 1 ||
        h.depth > 4) {
        fprintf(stderr, "bad size\n");
        return 1;
    }
    size_t size = (size_t)h.width * h.height * h.depth;
    uint8_t *pixels = malloc(size), *out = malloc(size);
    if (fread(pixels, 1, size, f) != size) {
        fprintf(stderr, "truncated\n");
        return 1;
    }
    fclose(f);
    uint8_t *to = (h.flags & 4) && h.depth == 2 ? pixels : out;
    struct job a = {&h, pixels, to, 0, h.height / 2}, b = {&h, pixels, to, h.height / 2, h.height};
    pthread_t s, t;
    pthread_create(&s, NULL, blur, &a);
    pthread_create(&t, NULL, blur, &b);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += to[i];
    printf("%u\n", sum);
    free(pixels);
    free(out);
    return 0;
}
