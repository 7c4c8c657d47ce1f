#!/bin/sh
# asm_constants.sh HEADER COMMAND... - writes the constants of asm_constants.c as a header for assembler code. COMMAND
# compiles the file to assembler text on its standard output.
set -eu
header=$1
shift
{
    echo "/* asm_constants.h - made by asm_constants.sh from asm_constants.c */"
    "$@" | sed -n 's/^[[:space:]]*\.ascii[[:space:]]*"-> \([A-Za-z_0-9]*\) \(-\{0,1\}[0-9]*\)"$/#define \1 \2/p'
} >"$header.new"
mv "$header.new" "$header"
