#!/bin/sh
# syscall_hooks.sh HEADER OUT.S - defines the system call hooks that clang's sanitizer/linux_syscall_hooks.h
# declares, as weak functions that do nothing; wrap_sanitizer.c defines the ones that have an effect.
set -eu
{
    echo '.text'
    grep -o '__sanitizer_syscall_\(pre\|post\)_impl_[a-z0-9_]*' "$1" | sort -u |
        sed 's/.*/.weak &\n.type &, @function\n&:/'
    echo 'ret'
    echo '.section .note.GNU-stack, "", @progbits'
} >"$2.new"
mv "$2.new" "$2"
