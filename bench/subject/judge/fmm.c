// An n-body simulation in which the threads wait for each other's boxes in spin loops (after fmm
// of the paper).
// race: mass build use single-ordering: the flag of the box is set after it
// race: centre_x build use single-ordering: as mass
// race: centre_y build use single-ordering: as mass
// race: radius build use single-ordering: as mass
// race: particles build use single-ordering: as mass
// race: children build use single-ordering: as mass
// race: near expand use single-ordering: the flag of the expansion is set after it
// race: far expand use single-ordering: as near
// race: order expand use single-ordering: as near
// race: error expand use single-ordering: as near
// race: force_x interact collect single-ordering: the flag of the interaction is set after it
// race: force_y interact collect single-ordering: as force_x
// race: built build use k-witness-harmless: the flag of ad hoc synchronisation; both orders end in
//     the same way
// race: expanded expand use k-witness-harmless: as built
// race: interacted interact collect k-witness-harmless: as built
// race: timestamp expand interact k-witness-harmless: overwritten before anybody prints it; the
//     paper's race that --require makes spec-violated
#include <pthread.h>
#include <stdio.h>

static volatile double mass, centre_x, centre_y, radius, near, far, error, force_x, force_y;
static volatile int particles, children, order, timestamp;
static volatile int built, expanded, interacted;

static void build(void)
{
    mass = 4;
    centre_x = 1;
    centre_y = 2;
    radius = 8;
    particles = 16;
    children = 3;
    built = 1;
}

static void expand(void)
{
    near = 5;
    far = 6;
    order = 7;
    error = 0.5;
    timestamp = -1;
    expanded = 1;
}

static double use(void)
{
    while (!built)
        ;
    double sum = mass * centre_x + centre_y + radius + particles + children;
    while (!expanded)
        ;
    return sum + near + far + order + error;
}

static void interact(void)
{
    timestamp = 1;
    force_x = 2;
    force_y = 3;
    interacted = 1;
}

static double collect(void)
{
    while (!interacted)
        ;
    return force_x + force_y;
}

static void *builder(void *unused)
{
    (void)unused;
    build();
    expand();
    return NULL;
}

static void *user(void *unused)
{
    (void)unused;
    double sum = use() + collect();
    printf("%g\n", sum);
    return NULL;
}

static void *mover(void *unused)
{
    (void)unused;
    interact();
    return NULL;
}

int main(void)
{
    static void *(*const body[])(void *) = {user, builder, mover};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    timestamp = 0;
    return 0;
}
