/* glib_client.c - two threads use GLib where it has races that docs/real-programs.md explains:
 * g_once, and the counters of the slice allocator. */
#include <glib.h>
#include <stdio.h>

static GOnce once = G_ONCE_INIT;

static gpointer compute(gpointer arg)
{
    g_usleep(1000);
    return arg;
}

static gpointer work(gpointer arg)
{
    gpointer value = g_once(&once, compute, GINT_TO_POINTER(7));
    gpointer blocks[40];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++)
            blocks[i] = g_slice_alloc(64);
        for (int i = 0; i < 40; i++)
            g_slice_free1(64, blocks[i]);
    }
    (void)arg;
    return value;
}

int main(void)
{
    GThread *t[2];
    for (int i = 0; i < 2; i++)
        t[i] = g_thread_new("work", work, NULL);
    for (int i = 0; i < 2; i++)
        printf("%d\n", GPOINTER_TO_INT(g_thread_join(t[i])));
    return 0;
}
