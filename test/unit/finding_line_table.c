/*
 * finding_line_table.c - source lines from the debug information of an object file, also if that
 * information is damaged. The object files are made here.
 */
// sources: src/rt/finding/line_table.c src/rt/sys.c src/rt/limits.c src/rt/gate.S
// sources: src/report/textbuf.c src/report/pool.c
#include "line_table.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs these before it
#include <cmocka.h>

#define CODE 0x40 /* offset of the code in the file, and its address */

/* A unit of DWARF 5 before its table of folders. The length of the rest is stored at UNIT_LENGTH,
 * that of the header at HEADER_LENGTH. */
static const uint8_t start[] = {0, 0, 0, 0, 5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb, 14, 10,
                                /* operands of the standard operations */
                                0, 1, 1, 1, 1, 0, 0, 0, 1};
#define UNIT_LENGTH 0
#define HEADER_LENGTH 8
/* one format: a path, as a string; two files */
static const uint8_t files[] = {1, 1, 8, 2, 'a', '.', 'c', 0, 'd', '/', 'b', '.', 'c', 0};
/* file 1, line 7, column 3 for 16 bytes of code */
static const uint8_t program[] = {0, 9,  2, CODE, 0, 0, 0, 0, 0, 0, 0, /* the address */
                                  3, 6,  5, 3,    1, /* line, column, row */
                                  2, 16, 0, 1,    1}; /* the end */

struct made_object {
    Elf64_Ehdr head;
    uint8_t code[16];
    Elf64_Phdr load;
    Elf64_Shdr section[2];
    char names[24];
    uint8_t lines[256];
};

static size_t add(uint8_t *to, size_t at, const void *bytes, size_t n)
{
    memcpy(to + at, bytes, n);
    return at + n;
}

/* Looks up a byte of the code, in an object file with this table of folders. */
static bool find(const uint8_t *folders, size_t n, struct pf_source_line *out)
{
    struct made_object o = {
        .head = {.e_ident[EI_CLASS] = ELFCLASS64,
                 .e_phoff = offsetof(struct made_object, load),
                 .e_phnum = 1,
                 .e_shoff = offsetof(struct made_object, section),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 2},
        .load = {.p_type = PT_LOAD, .p_offset = CODE, .p_vaddr = CODE, .p_filesz = sizeof o.code},
        .section = {{.sh_type = SHT_STRTAB,
                     .sh_offset = offsetof(struct made_object, names),
                     .sh_size = sizeof o.names},
                    {.sh_type = SHT_PROGBITS,
                     .sh_name = 1,
                     .sh_offset = offsetof(struct made_object, lines)}},
        .names = "\0.debug_line"};
    size_t at = add(o.lines, 0, start, sizeof start);
    at = add(o.lines, at, folders, n);
    at = add(o.lines, at, files, sizeof files);
    uint32_t header = (uint32_t)at - HEADER_LENGTH - 4;
    at = add(o.lines, at, program, sizeof program);
    uint32_t unit = (uint32_t)at - UNIT_LENGTH - 4;
    add(o.lines, UNIT_LENGTH, &unit, sizeof unit);
    add(o.lines, HEADER_LENGTH, &header, sizeof header);
    o.section[1].sh_size = at;

    char path[] = "/tmp/pf-line-table-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, &o, sizeof o), sizeof o);
    close(fd);
    bool found = pf_line_table_find(path, CODE + 5, out);
    unlink(path);
    return found;
}

static void a_line_is_found(void **state)
{
    static const uint8_t folders[] = {1, 1, 8, 2, '/', 0, 'd', 0};
    struct pf_source_line out;
    (void)state;
    assert_true(find(folders, sizeof folders, &out));
    assert_string_equal(out.file, "b.c");
    assert_int_equal(out.line, 7);
    assert_int_equal(out.column, 3);
}

/* 2^62 folders without any format, so that they have no bytes either. */
static void folders_without_bytes_take_no_time(void **state)
{
    static const uint8_t folders[] = {0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40};
    struct pf_source_line out;
    (void)state;
    assert_true(find(folders, sizeof folders, &out));
    assert_string_equal(out.file, "b.c");
}

/* More folders than there are bytes; a format that is not known. */
static void other_damage_is_an_error(void **state)
{
    static const uint8_t many[] = {1, 1, 8, 0xff, 0x7f}, unknown[] = {1, 1, 0x7e, 1, 0};
    struct pf_source_line out;
    (void)state;
    assert_false(find(many, sizeof many, &out));
    assert_false(find(unknown, sizeof unknown, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_found),
        cmocka_unit_test(folders_without_bytes_take_no_time),
        cmocka_unit_test(other_damage_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
