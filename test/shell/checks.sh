# Each check script of the tree detects its kind of violation.
mkdir tree
cp -r "$ROOT/script" "$ROOT/src" "$ROOT/ARCHITECTURE.md" "$ROOT/.clang-format" tree
mkdir -p tree/test tree/example tree/bench tree/.ci
cd tree
status 0 script/check-layers
echo '#include "cli.h"' >src/report/edge.c
status 1 script/check-layers
has out "src/report/edge.c:1: report may not include src/cli/cli.h"
echo '#include "nobody.h"' >src/report/edge.c
status 1 script/check-layers
has out "no file of this tree is called nobody.h"
rm src/report/edge.c
mkdir src/elsewhere
echo 'int x;' >src/elsewhere/x.c
status 1 script/check-layers
has out "its folder is not in the table"
rm -r src/elsewhere

status 0 script/check-names
cp src/abi/pf_abi.h src/report/
status 1 script/check-names
has err "pf_abi.h is in the tree more than once"
rm src/report/pf_abi.h

status 0 script/check-shell
printf '#!/bin/bash\nif true; then\n' >script/broken
status 1 script/check-shell
rm script/broken

printf 'int  main( void ) { return 0; }\n' >example/ugly.c
status 123 script/check-format
has err "ugly.c"
