// sources: src/trace/*.c test/oracle/reorder/random_trace.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * trace_text.c - the text and STD forms: a written trace is read back unchanged, damaged text is
 * read or rejected with position and reason, and cells are split where accesses overlap.
 */
#include "trace_text.h"
#include "../oracle/reorder/random_trace.h"
#include "selfcheck.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char *written(const struct pf_trace *t, size_t *len)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    pf_trace_write_text(t, f);
    fclose(f);
    return text;
}

static void assert_same(const struct pf_trace *t, const struct pf_trace *u)
{
    assert_int_equal(t->events.len, u->events.len);
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i], *f = &u->events.at[i];
        assert_int_equal(e->kind, f->kind);
        assert_int_equal(e->flags, f->flags);
        assert_string_equal(pf_trace_text(t, t->threads.at[e->thread]),
                            pf_trace_text(u, u->threads.at[f->thread]));
        if (pf_event_operand[e->kind] != PF_OPERAND_PLACE)
            continue;
        assert_int_equal(e->value, f->value);
        assert_int_equal(t->places.at[e->what].size, u->places.at[f->what].size);
        assert_int_equal(t->places.at[e->what].ncells, u->places.at[f->what].ncells);
        if (e->kind == PF_EV_RMW)
            assert_int_equal(t->olds.at[e->link], u->olds.at[f->link]);
    }
}

static void test_round_trip(void **state)
{
    struct pf_random_shape shape = {4, 3, 3, 200, 3, PF_RANDOM_ALL};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct pf_trace t, u;
        struct pf_error err;
        struct pf_error e;
        size_t n1, n2;
        pf_random_trace(&t, &shape, seed);
        assert_true(pf_trace_check(&t, NULL, &err) == PF_OK);
        char *one = written(&t, &n1);
        pf_trace_init(&u);
        if (pf_trace_read_text(&u, "copy", one, n1, &e) != PF_OK)
            fail_msg("seed %lu: %s", seed, e.text);
        if (pf_trace_check(&u, NULL, &err) != PF_OK)
            fail_msg("seed %lu: %s", seed, err.text);
        assert_same(&t, &u);
        char *two = written(&u, &n2);
        assert_string_equal(one, two);
        free(one);
        free(two);
        pf_trace_release(&t);
        pf_trace_release(&u);
    }
}

/* Bytes changed, removed, duplicated: never a crash, and an error names the file. */
static void test_damage(void **state)
{
    struct pf_random_shape shape = {3, 3, 2, 40, 3, PF_RANDOM_ALL};
    uint64_t rnd = 11;
    uint32_t read = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct pf_trace t, u;
        struct pf_error err;
        struct pf_error e = {0};
        size_t n;
        pf_random_trace(&t, &shape, seed % 50);
        char *text = written(&t, &n);
        for (uint64_t k = 0; k < 1 + seed % 4; k++) {
            size_t i = pf_random_next(&rnd) % n, len = pf_random_next(&rnd) % 12;
            len = i + len < n ? len : n - i;
            switch (pf_random_next(&rnd) % 3) {
            case 0:
                text[i] = (char)(pf_random_next(&rnd) % 3 ? 32 + pf_random_next(&rnd) % 95
                                                          : pf_random_next(&rnd));
                break;
            case 1:
                memmove(text + i, text + i + len, n - i - len);
                n -= len;
                break;
            default:
                memset(text + i, "0=:+{}@# \n-x"[pf_random_next(&rnd) % 12], len);
            }
            n += n == 0;
        }
        pf_trace_init(&u);
        bool std = seed % 8 == 0;
        pf_status s = std ? pf_trace_read_std(&u, "damaged", text, n, &e)
                          : pf_trace_read_text(&u, "damaged", text, n, &e);
        if (s == PF_OK) {
            read++;
            (void)!pf_trace_check(&u, NULL, &err);
        } else {
            refused++;
            assert_memory_equal(e.text, "damaged:", 8);
        }
        pf_trace_release(&u);
        pf_trace_release(&t);
        free(text);
    }
    assert_true(read > 100 && refused > 100);
}

static void test_cells(void **state)
{
    static const char text[] =
        "T0 write x:4=0x04030201 T0 read x+2:4=0x0304 T0 write x+8:8 T0 read x:16";
    struct pf_trace t;
    struct pf_error err;
    struct pf_error e;
    pf_trace_init(&t);
    assert_int_equal(pf_trace_read_text(&t, "x", text, strlen(text), &e), PF_OK);
    const struct pf_range *a = &t.places.at[t.events.at[0].what];
    const struct pf_range *b = &t.places.at[t.events.at[1].what];
    const struct pf_range *all = &t.places.at[t.events.at[3].what];
    assert_int_equal(a->ncells, 2); /* 0-1, 2-3 */
    assert_int_equal(b->ncells, 2); /* 2-3, 4-5 */
    assert_int_equal(all->ncells, 5); /* 0-1, 2-3, 4-5, 6-7, 8-15 */
    assert_int_equal(b->cell0, a->cell0 + 1);
    uint64_t v;
    assert_true(pf_trace_cell_value(&t, &t.events.at[0], a->cell0 + 1, false, &v));
    assert_int_equal(v, 0x0403);
    assert_true(pf_trace_cell_value(&t, &t.events.at[1], a->cell0 + 1, true, &v));
    assert_int_equal(v, 0x0304);
    assert_int_equal(pf_trace_check(&t, NULL, &err),
                     PF_BAD); /* it reads 0x0304 where 0x0403 was stored */
    pf_trace_release(&t);
}

/* A call that reaches nothing does not hide what the next call of its thread reaches. */
static void test_empty_reach(void **state)
{
    static const char text[] = "T1 write x=1  T2 call g { }  T2 ret g  T2 call f { x }  T2 ret f\n";
    struct pf_trace t;
    struct pf_error e;
    pf_trace_init(&t);
    assert_int_equal(pf_trace_read_text(&t, "calls", text, strlen(text), &e), PF_OK);
    assert_true(t.cells.at[t.places.at[t.events.at[0].what].cell0].shared);
    pf_trace_release(&t);
}

/* Memory that the thread with the largest number accesses first is shared like all other memory. */
static void test_many_threads(void **state)
{
    enum { THREADS = UINT16_MAX + 1, ROOM = 24 };
    char *text = malloc((size_t)THREADS * ROOM);
    size_t n = 0;
    for (unsigned i = 0; i + 1 < THREADS; i++)
        n += (size_t)snprintf(text + n, ROOM, "T%u branch\n", i);
    n += (size_t)snprintf(text + n, ROOM, "last write x\nT0 read x\n");
    struct pf_trace t;
    struct pf_error e;
    pf_trace_init(&t);
    assert_int_equal(pf_trace_read_text(&t, "threads", text, n, &e), PF_OK);
    assert_int_equal(t.threads.len, THREADS);
    assert_true(t.cells.at[t.places.at[t.events.at[THREADS].what].cell0].shared);
    pf_trace_release(&t);
    free(text);
}

/* The largest values are accepted; larger ones are rejected. */
static void test_large_values(void **state)
{
    static const char *const values[] = {"18446744073709551615", "18446744073709551610",
                                         "18446744073709551609", "18446744073709551616",
                                         "99999999999999999999"};
    for (uint32_t i = 0; i < 5; i++) {
        char text[64];
        int n = snprintf(text, sizeof text, "T0 write 0x1000=%s", values[i]);
        struct pf_trace t;
        struct pf_error e;
        pf_trace_init(&t);
        assert_int_equal(pf_trace_read_text(&t, "x", text, (size_t)n, &e), i < 3 ? PF_OK : PF_BAD);
        if (i < 3)
            assert_int_equal(t.events.at[0].value, strtoull(values[i], NULL, 10));
        pf_trace_release(&t);
    }
}

static void test_sniff(void **state)
{
    assert_int_equal(pf_trace_sniff("# a\n\nT0|w(x)|1\n", 15), PF_FORM_STD);
    assert_int_equal(pf_trace_sniff("# a|b\n1 T0 write x\n", 19), PF_FORM_TEXT);
    assert_int_equal(pf_trace_sniff("\177ELF\0\0", 6), PF_FORM_BINARY);
    assert_int_equal(pf_trace_sniff("", 0), PF_FORM_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_damage),
        cmocka_unit_test(test_cells),        cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_sniff),        cmocka_unit_test(test_empty_reach),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
