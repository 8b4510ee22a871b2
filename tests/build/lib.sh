# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# TAP, and a kernel tree on the side, for the tests of this folder.

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# kmod lives in sbin, which the PATH of a user may lack.
PATH=$PATH:/usr/sbin:/sbin
count=0
bad=0

# is NAME GOT WANTED
is()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
		return
	fi
	printf '%s\n' "got:    $2" "wanted: $3" | sed 's/^/# /'
	echo "not ok $count - $1"
	bad=1
}

# like NAME TEXT PATTERN: every word of the pattern's regular expression in one line
like()
{
	count=$((count + 1))
	if grep -qE -- "$3" <<<"$2"; then
		echo "ok $count - $1"
		return
	fi
	printf '%s\n' "got:      $2" "no match: $3" | sed 's/^/# /'
	echo "not ok $count - $1"
	bad=1
}

finish()
{
	echo "1..$count"
	exit $bad
}

# copy_tree: the sources alone, so that a test writes nothing into the checkout's build/.
copy_tree()
{
	mkdir -p "$work/tree/tests" &&
		cp -r "$top"/{Makefile,Kbuild,dkms.conf,kmod,include,scripts} "$work/tree/" &&
		if [ -d "$top/tests/kunit" ]; then cp -r "$top/tests/kunit" "$work/tree/tests/"; fi
}

# crc FILE SYMBOL: with which CRC a module imports a symbol
crc()
{
	modprobe --dump-modversions "$1" | awk -v symbol="$2" '$2 == symbol { print $1 }'
}

# symvers FILE SYMBOL: which CRC a Module.symvers gives it
symvers()
{
	awk -v symbol="$2" '$2 == symbol { print $1 }' "$1"
}
