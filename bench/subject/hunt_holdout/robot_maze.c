/* Two robots in a grid, each moved by a thread of its own: the first line of standard input has the
 * moves of the first one (N, E, S, W), the second line those of the other. Walls stop them. On the
 * square with the battery a robot charges; the charge is shared and not guarded. */
// stdin: EES
// stdin: NWW
// input: stdin
// race: CHARGE CHARGE
#include "../hunt/hunt.h"

static const char *const maze[7] = {
    "#######", "#..#..#", "#.##..#", "#....##", "##.#B.#", "#..#..#", "#######",
};

struct robot {
    int x, y;
    char moves[40];
    int bumps;
};

static volatile long charge; /* volatile: compilers would read it also where nothing is added */

static void step(struct robot *r, char move)
{
    int x = r->x, y = r->y;
    switch (move) {
    case 'N':
        y--;
        break;
    case 'S':
        y++;
        break;
    case 'E':
        x++;
        break;
    case 'W':
        x--;
        break;
    default:
        return;
    }
    if (maze[y][x] == '#') {
        r->bumps++;
        return;
    }
    r->x = x;
    r->y = y;
    if (maze[y][x] == 'B') {
        GUARD();
        charge += 10; /* CHARGE */
        UNGUARD();
    }
}

static void *drive(void *arg)
{
    struct robot *r = arg;
    for (const char *p = r->moves; *p; p++)
        step(r, *p);
    return NULL;
}

int main(void)
{
    static struct robot a = {.x = 1, .y = 1}, b = {.x = 5, .y = 5};
    pthread_t s, t;
    if (!fgets(a.moves, sizeof a.moves, stdin) || !fgets(b.moves, sizeof b.moves, stdin)) {
        fprintf(stderr, "two lines of moves are expected\n");
        return 1;
    }
    pthread_create(&s, NULL, drive, &a);
    pthread_create(&t, NULL, drive, &b);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    printf("(%d,%d) (%d,%d), %d bumps, charge %ld\n", a.x, a.y, b.x, b.y, a.bumps + b.bumps,
           charge);
    return 0;
}
