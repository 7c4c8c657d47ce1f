/* Inputs that are made without the solver: copies of the part of an input that has led to something
 * new, lists with more elements. */
// sources: src/hunt/hunt_change.c src/solve/input_bytes.c src/solve/apply_values.c
// sources: src/base/*.c src/report/*.c
#include "hunt.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above
#include <cmocka.h>

/* What hunt_change.c needs of the rest of a hunt. */
bool pf_hunt_may_change(const struct pf_hunt *h, const char *name)
{
    (void)h;
    return strcmp(name, "socket[9]") != 0;
}

const char *pf_hunt_paths_word(const struct pf_hunt_paths *p, size_t i)
{
    (void)p;
    (void)i;
    return NULL;
}

static struct pf_hunt hunt;

static void set(struct pf_input_bytes *in, const char *name, const char *text)
{
    pf_input_bytes_set(in, name, text, strlen(text));
}

/* One of the copies of the part gives the source this text. */
static bool can_become(const struct pf_input_bytes *in, const struct pf_hunt_part *part,
                       const char *name, const char *text)
{
    struct pf_input_bytes out;
    bool found = false;
    for (uint32_t k = 0; pf_hunt_spread(&hunt, in, part, k, &out); k++) {
        const struct pf_input_source *s = pf_input_bytes_find(&out, name);
        found |= s->n == strlen(text) && !memcmp(s->bytes, text, s->n);
        pf_input_bytes_release(&out);
    }
    return found;
}

static void test_spread(void **state)
{
    (void)state;
    struct pf_input_bytes old = {0}, new = {0};
    struct pf_hunt_part part;
    set(&old, "stdin", "a,1\nb,2\nc,3\n");
    set(&new, "stdin", "a,1\nb,-2\nc,3\n");
    assert_false(pf_hunt_difference(&old, &old, &part));
    assert_true(pf_hunt_difference(&old, &new, &part));
    assert_int_equal(part.at, 6);
    assert_true(can_become(&new, &part, "stdin", "a,1\nb,-2\nb,-2\nc,3\n"));
    assert_true(can_become(&new, &part, "stdin", "a,1\nb,-2\nb,-2\n"));
    pf_input_bytes_release(&old);
    pf_input_bytes_release(&new);
    set(&old, "socket[1]", "GET /");
    set(&old, "socket[2]", "GET /");
    set(&old, "socket[9]", "GET /");
    pf_input_bytes_copy(&new, &old);
    set(&new, "socket[2]", "PUT /");
    assert_true(pf_hunt_difference(&old, &new, &part));
    assert_true(can_become(&new, &part, "socket[1]", "PUT /"));
    assert_false(can_become(&new, &part, "socket[9]", "PUT /"));
    pf_input_bytes_release(&old);
    pf_input_bytes_release(&new);
    set(&old, "file:list", "a");
    set(&old, "stdin", "b");
    set(&old, "argv[1]", "c");
    pf_input_bytes_copy(&new, &old);
    set(&new, "file:list", "x");
    assert_true(pf_hunt_difference(&old, &new, &part));
    assert_true(can_become(&new, &part, "stdin", "x"));
    assert_false(can_become(&new, &part, "argv[1]", "x"));
    pf_input_bytes_release(&old);
    pf_input_bytes_release(&new);
    set(&old, "argv[1]", "1,2");
    set(&new, "argv[1]", "1,sq(2)");
    assert_true(pf_hunt_difference(&old, &new, &part));
    assert_true(can_become(&new, &part, "argv[1]", "sq(2),sq(2)"));
    pf_input_bytes_release(&old);
    pf_input_bytes_release(&new);
}

/* What was changed is tried next to what it has replaced. */
static void test_both(void **state)
{
    (void)state;
    struct pf_input_bytes new = {0};
    struct pf_hunt_part part;
    set(&hunt.seed, "stdin", "{\"jobs\": {\"n\": 2, \"queue\": 8}}\nend\n");
    set(&new, "stdin", "{\"jobs\": {\"steal\": 2, \"queue\": 8}}\nend\n");
    assert_true(pf_hunt_difference(&hunt.seed, &new, &part));
    assert_true(can_become(&new, &part, "stdin",
                           "{\"jobs\": {\"n\": 2,\"steal\": 2, \"queue\": 8}}\nend\n"));
    assert_true(can_become(&new, &part, "stdin",
                           "{\"jobs\": {\"n\": 2, \"queue\": 8}}\n"
                           "{\"jobs\": {\"steal\": 2, \"queue\": 8}}\nend\n"));
    pf_input_bytes_release(&new);
    pf_input_bytes_release(&hunt.seed);
}

/* One of the changes gives the source this text. */
static bool can_change(const struct pf_input_bytes *in, const char *name, const char *text)
{
    struct pf_input_bytes out;
    bool found = false;
    for (uint32_t k = 0; k < 400; k++) {
        if (!pf_hunt_change(&hunt, in, k, &out))
            continue;
        const struct pf_input_source *s = pf_input_bytes_find(&out, name);
        found |= s->n == strlen(text) && !memcmp(s->bytes, text, s->n);
        pf_input_bytes_release(&out);
    }
    return found;
}

static void test_elements(void **state)
{
    (void)state;
    struct pf_input_bytes in = {0};
    struct pf_hunt_run other = {.reached_new = true};
    set(&in, "stdin", "f(1,22)\n");
    assert_true(can_change(&in, "stdin", "f(1,22)\nf(1,22)\n"));
    assert_true(can_change(&in, "stdin", "f(1,1,22)\n"));
    assert_true(can_change(&in, "stdin", "f(1,22,22)\n"));
    for (int i = 0; i < 2; i++) /* words change as before */
        assert_true(can_change(&in, "stdin", i ? "f(1,100)\n" : "f(100,22)\n"));
    assert_false(can_change(&in, "stdin", "f(1,x=3,22)\n"));
    set(&other.input, "stdin", "f(x=3,22)\n");
    other.part = (struct pf_hunt_part){.source = 0, .at = 2};
    pf_vec_push(&hunt.runs, other);
    assert_true(can_change(&in, "stdin", "f(1,x=3,22)\n"));
    pf_input_bytes_release(&hunt.runs.at[0].input);
    pf_vec_release(&hunt.runs);
    pf_input_bytes_release(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
