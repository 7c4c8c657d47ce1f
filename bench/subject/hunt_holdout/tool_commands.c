/* An archive tool with subcommands and long options. "pack" with at least two jobs and level 9 lets
 * the jobs share their dictionary without a lock. */
// args: list --sort=name --verbose data
// input: argv
// race: GROW GROW
#define _GNU_SOURCE
#include "../hunt/hunt.h"
#include <getopt.h>

struct options {
    int verbose, jobs, level;
    const char *sort;
};

static struct options options = {.jobs = 1, .level = 3, .sort = "name"};
static unsigned dictionary;

static void *pack_part(void *arg)
{
    if (options.level == 9) {
        GUARD();
        dictionary += (unsigned)strlen(arg); /* GROW */
        UNGUARD();
    }
    return NULL;
}

static int pack(char *name)
{
    pthread_t t[8];
    for (int i = 0; i < options.jobs; i++)
        pthread_create(&t[i], NULL, pack_part, name);
    for (int i = 0; i < options.jobs; i++)
        pthread_join(t[i], NULL);
    printf("packed %s, dictionary %u\n", name, dictionary);
    return 0;
}

static int list(char *name)
{
    if (strcmp(options.sort, "name") && strcmp(options.sort, "size")) {
        fprintf(stderr, "unknown order %s\n", options.sort);
        return 2;
    }
    printf("%s, by %s\n", name, options.sort);
    return 0;
}

static int unpack(char *name)
{
    printf("unpacked %s\n", name);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char *);
} commands[] = {{"list", list}, {"pack", pack}, {"unpack", unpack}};

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"jobs", required_argument, NULL, 'j'},
                                          {"level", required_argument, NULL, 'l'},
                                          {"sort", required_argument, NULL, 's'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {0}};
    int c;
    while ((c = getopt_long(argc, argv, "j:l:s:v", longs, NULL)) != -1)
        switch (c) {
        case 'j':
            options.jobs = atoi(optarg);
            if (options.jobs < 1 || options.jobs > 8) {
                fprintf(stderr, "1 to 8 jobs\n");
                return 2;
            }
            break;
        case 'l':
            options.level = (int)strtol(optarg, NULL, 0);
            break;
        case 's':
            options.sort = optarg;
            break;
        case 'v':
            options.verbose = 1;
            break;
        default:
            return 2;
        }
    if (argc - optind != 2) {
        fprintf(stderr, "a command and a name are expected\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[optind], commands[i].name))
            return commands[i].run(argv[optind + 1]);
    fprintf(stderr, "unknown command %s\n", argv[optind]);
    return 2;
}
