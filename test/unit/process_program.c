// sources: src/process/program.c src/base/*.c src/report/pool.c src/report/textbuf.c
/* process_program.c - detects instrumented programs, in made-up ELF files and thousands of damaged
 * ones: there is always an answer, and never a crash. */
#include "pf_abi.h"
#include "program.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct image {
    Elf64_Ehdr head;
    Elf64_Phdr segment[2];
    Elf64_Nhdr other;
    char other_name[4], other_value[8];
    Elf64_Nhdr note;
    char name[12];
    uint32_t version;
    Elf64_Shdr section;
};

static struct image good(void)
{
    struct image i = {
        .head = {.e_type = ET_DYN,
                 .e_machine = EM_X86_64,
                 .e_phoff = offsetof(struct image, segment),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 2,
                 .e_shoff = offsetof(struct image, section),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 1},
        .segment = {{.p_type = PT_LOAD},
                    {.p_type = PT_NOTE,
                     .p_offset = offsetof(struct image, other),
                     .p_filesz = offsetof(struct image, section) - offsetof(struct image, other)}},
        .other = {4, 8, NT_GNU_BUILD_ID},
        .other_name = "GNU",
        .note = {sizeof PF_NOTE_OWNER, 4, PF_NOTE_ABI},
        .name = PF_NOTE_OWNER,
        .version = PF_ABI_VERSION,
        .section = {.sh_type = SHT_NOTE,
                    .sh_offset = offsetof(struct image, note),
                    .sh_size = offsetof(struct image, section) - offsetof(struct image, note)},
    };
    memcpy(i.head.e_ident, ELFMAG, SELFMAG);
    i.head.e_ident[EI_CLASS] = ELFCLASS64;
    i.head.e_ident[EI_DATA] = ELFDATA2LSB;
    return i;
}

static void expect(const void *data, size_t n, const char *message)
{
    struct pf_error e = {""};
    unsigned char *copy = malloc(n ? n : 1); /* a separate block, so that ASan sees its end */
    memcpy(copy, data, n);
    pf_status s = pf_program_check_bytes("prog", copy, n, &e);
    free(copy);
    if (!message && s != PF_OK)
        fail_msg("rejected: %s", e.text);
    if (message && (s != PF_BAD || !strstr(e.text, message)))
        fail_msg("expected '%s', got: %s", message, e.text);
}

static void answers(void **state)
{
    (void)state;
    struct image i = good();
    expect(&i, sizeof i, NULL);
    i.head.e_shnum = 0; /* stripped: the segment is enough */
    expect(&i, sizeof i, NULL);
    i = good();
    i.head.e_phnum = 0; /* the section alone is enough, too */
    expect(&i, sizeof i, NULL);
    i = good();
    i.version = 77;
    expect(&i, sizeof i, "version 77");
    i = good();
    i.name[0] = 'P';
    expect(&i, sizeof i, "not instrumented");
    i = good();
    i.note.n_type = 9;
    expect(&i, sizeof i, "not instrumented");
    i = good();
    i.head.e_machine = EM_AARCH64;
    expect(&i, sizeof i, "not a program for x86-64");
    i = good();
    i.head.e_ident[EI_CLASS] = ELFCLASS32;
    expect(&i, sizeof i, "not a program for x86-64");
    i = good();
    i.head.e_type = ET_REL;
    expect(&i, sizeof i, "not an executable");
    expect("#!/bin/sh\n", 10, "is a script");
    expect("", 0, "not an ELF program");
    expect("hello, world, this is long enough to be a header if it were one, is it not", 74,
           "not an ELF program");
}

static void damaged(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ull;
    for (int round = 0; round < 200000; round++) {
        struct image i = good();
        unsigned char *bytes = (unsigned char *)&i;
        for (int k = 0; k < 4; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            bytes[16 + seed % (sizeof i - 16)] = (unsigned char)(seed >> 32);
        }
        size_t n = seed >> 40 & 1 ? sizeof i : seed % sizeof i;
        unsigned char *copy = malloc(n + 1);
        struct pf_error e;
        memcpy(copy, bytes, n);
        pf_status s = pf_program_check_bytes("prog", copy, n, &e);
        assert_true(s == PF_OK || s == PF_BAD);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
