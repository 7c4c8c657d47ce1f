/*
 * rays.c - a ray tracer of spheres in a grid; threads take tiles from a queue under a lock.
 *
 * bench: size=720 quick=128 contention=320
 *
 * Shows:   recursion with structs of three doubles passed by pointer, read-only data that all
 *          threads share, lists in grid cells. Size is the width of the picture.
 * Hides:   writes to shared memory, except the picture and the queue. There are no races.
 */
#include "bench.h"
#include <math.h>

enum { SPHERES = 400, GRID = 12, TILE = 16, DEPTH = 3, AXES = 3 };

struct vector {
    double at[AXES];
};

struct sphere {
    struct vector centre;
    double radius;
    unsigned colour, mirror;
};

struct entry {
    const struct sphere *sphere;
    struct entry *next;
};

struct scene {
    struct sphere sphere[SPHERES];
    struct entry *cell[GRID][GRID][GRID];
    unsigned char *picture;
    size_t next_tile; /* under lock */
    pthread_mutex_t lock;
};

static double dot(const struct vector *a, const struct vector *b)
{
    double sum = 0;
    for (int i = 0; i < AXES; i++)
        sum += a->at[i] * b->at[i];
    return sum;
}

static void along(struct vector *out, const struct vector *from, const struct vector *way,
                  double far)
{
    for (int i = 0; i < AXES; i++)
        out->at[i] = from->at[i] + far * way->at[i];
}

/* The distance to the sphere, or a negative number. */
static double meet(const struct sphere *s, const struct vector *from, const struct vector *way)
{
    struct vector to;
    along(&to, &s->centre, from, -1);
    double middle = dot(&to, way), square = middle * middle - dot(&to, &to) + s->radius * s->radius;
    return square < 0 ? -1 : middle - sqrt(square);
}

static const struct sphere *nearest(const struct scene *s, const struct vector *from,
                                    const struct vector *way, double *far)
{
    const struct sphere *found = NULL;
    for (double t = 0; t < 2 * GRID && !found; t += 0.5) {
        struct vector at;
        along(&at, from, way, t);
        int cell[AXES], inside = 1;
        for (int i = 0; i < AXES; i++) {
            cell[i] = (int)floor(at.at[i]);
            inside &= cell[i] >= 0 && cell[i] < GRID;
        }
        if (!inside)
            continue;
        for (const struct entry *e = s->cell[cell[0]][cell[1]][cell[2]]; e; e = e->next) {
            double d = meet(e->sphere, from, way);
            if (d > 1e-6 && (!found || d < *far)) {
                *far = d;
                found = e->sphere;
            }
        }
    }
    return found;
}

static unsigned trace(const struct scene *s, const struct vector *from, const struct vector *way,
                      int depth)
{
    double far = 0;
    const struct sphere *hit = nearest(s, from, way, &far);
    if (!hit)
        return 16;
    struct vector at, normal;
    along(&at, from, way, far);
    along(&normal, &at, &hit->centre, -1);
    double facing = -dot(&normal, way) / hit->radius;
    unsigned shade = (unsigned)(facing < 0 ? 0 : facing * hit->colour);
    if (!hit->mirror || depth == 0)
        return shade;
    struct vector back;
    along(&back, way, &normal, 2 * facing / hit->radius);
    return (shade + trace(s, &at, &back, depth - 1)) / 2;
}

static void *work(struct bench_worker *w)
{
    struct scene *s = w->arg;
    size_t side = w->bench->size, tiles = (side + TILE - 1) / TILE;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        size_t tile = s->next_tile++;
        pthread_mutex_unlock(&s->lock);
        if (tile >= tiles * tiles)
            return NULL;
        size_t y0 = tile / tiles * TILE, x0 = tile % tiles * TILE;
        for (size_t y = y0; y < y0 + TILE && y < side; y++)
            for (size_t x = x0; x < x0 + TILE && x < side; x++) {
                struct vector eye = {{GRID / 2.0, GRID / 2.0, -GRID}};
                struct vector way = {
                    {(double)x / (double)side - 0.5, (double)y / (double)side - 0.5, 1}};
                double length = sqrt(dot(&way, &way));
                along(&way, &(struct vector){{0, 0, 0}}, &way, 1 / length);
                s->picture[y * side + x] = (unsigned char)trace(s, &eye, &way, DEPTH);
            }
    }
}

static void scene_make(struct scene *s)
{
    for (size_t i = 0; i < SPHERES; i++) {
        struct sphere *p = &s->sphere[i];
        p->radius = 0.2 + (double)(bench_hash(i) % 100) / 250;
        p->colour = 55 + bench_hash(i + 1000) % 200;
        p->mirror = i % 3 == 0;
        for (size_t a = 0; a < AXES; a++)
            p->centre.at[a] =
                1 + (double)(bench_hash(i * AXES + a + 5000) % 1000) / 1000 * (GRID - 2);
        int from[AXES], to[AXES];
        for (int a = 0; a < AXES; a++) {
            from[a] = (int)floor(p->centre.at[a] - p->radius);
            to[a] = (int)floor(p->centre.at[a] + p->radius);
        }
        for (int x = from[0]; x <= to[0]; x++)
            for (int y = from[1]; y <= to[1]; y++)
                for (int z = from[2]; z <= to[2]; z++) {
                    struct entry *e = bench_alloc(sizeof *e);
                    *e = (struct entry){p, s->cell[x][y][z]};
                    s->cell[x][y][z] = e;
                }
    }
}

static void scene_free(struct scene *s)
{
    struct entry **cell = &s->cell[0][0][0];
    for (size_t i = 0; i < GRID * GRID * GRID; i++)
        for (struct entry *e = cell[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(s->picture);
    free(s);
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 720);
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        bench_fail("out of memory");
    scene_make(s);
    s->picture = bench_alloc(b.size * b.size);
    pthread_mutex_init(&s->lock, NULL);
    bench_run(&b, work, s);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size * b.size; i++)
        sum = sum * 31 + s->picture[i];
    pthread_mutex_destroy(&s->lock);
    scene_free(s);
    return bench_end("rays", sum);
}
