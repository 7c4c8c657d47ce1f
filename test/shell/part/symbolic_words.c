// The program of ../symbolic.sh: library functions with models.
#define _GNU_SOURCE
#include <ctype.h>
#include <getopt.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int find_gap(struct dl_phdr_info *executable, size_t size, void *gap)
{
    uintptr_t end = 0;
    for (int i = 0; i < executable->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &executable->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t from = executable->dlpi_addr + p->p_vaddr;
        if (end && (from & -4096ul) > end)
            *(uintptr_t *)gap = end;
        end = (from + p->p_memsz + 4095) & -4096ul;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"verbose", no_argument, NULL, 'v'}, {0}};
    int result = 0, option;
    while ((option = getopt_long(argc, argv, "q", names, NULL)) != -1)
        result |= option == 'v';
    for (int i = optind; i < argc; i++) {
        if (strlen(argv[i]) > 64)
            result |= 2;
        if (!strcmp(argv[i], "open sesame"))
            result |= 4;
        if (isupper((unsigned char)argv[i][0]))
            result |= 8;
    }
    char bytes[16] = {0};
    if (fread(bytes, 1, sizeof bytes, stdin) > 8 && !memcmp(bytes, "MAGICAL", 7))
        result |= 16;
    /* The text ends at the end of the mapped memory. */
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + 4096, 4096);
    if (!strncmp(bytes, strcpy(page + 4092, "MAP"), 60))
        result |= 32;
    /* A number that is the address of an unmapped page between segments of the executable. */
    uintptr_t gap = 0;
    dl_iterate_phdr(find_gap, &gap);
    return gap && ldiv((long)gap, 1).rem == 0 ? result : 99;
}
