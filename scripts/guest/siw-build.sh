# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Building siw.ko, which the distribution's kernels leave out, from the source of the same
# series, once for each kernel and package version. Sourced by scripts/vm, which sets
# $cache, die() and missing().
# shellcheck disable=SC2154 # those

siw_tarball=/usr/src/linux-source-6.1.tar.xz
siw_series=6.1

# siw_build RELEASE KDIR: prints the module's file, built if need be. Concurrent callers
# wait for the first one.
siw_build()
{
	local release=$1 kdir=$2 version dir fd

	case $release in
	"$siw_series".*) ;;
	*) die "--siw: kernel $release has no siw, and its source (linux-source-$siw_series) is of another series; use a kernel $siw_series" ;;
	esac
	[ -r "$siw_tarball" ] || missing "$siw_tarball"
	[ -e "$kdir/Makefile" ] || die "--siw: no headers in $kdir: install linux-headers-$release"
	version=$(dpkg-query -W -f '${Version}' "linux-source-$siw_series" 2>/dev/null) ||
		version=$(stat -c %s-%Y "$siw_tarball")
	dir=$cache/siw/$release-$version
	if [ ! -e "$dir/.complete" ]; then
		mkdir -p "$cache/siw" || die "cannot write to $cache/siw"
		exec {fd}>"$dir.lock"
		flock "$fd"
		if [ ! -e "$dir/.complete" ]; then
			note "building siw.ko for $release once; log in $dir/build.log"
			rm -rf "$dir"
			mkdir -p "$dir"
			tar -C "$dir" --strip-components=5 -xf "$siw_tarball" \
				--wildcards '*/drivers/infiniband/sw/siw/*' ||
				die "cannot unpack siw of $siw_tarball into $dir"
			env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$kdir" M="$dir" CONFIG_RDMA_SIW=m \
				modules >"$dir/build.log" 2>&1 </dev/null ||
				die "siw does not build for $release; log in $dir/build.log"
			touch "$dir/.complete"
		fi
		exec {fd}>&-
	fi
	printf '%s\n' "$dir/siw.ko"
}
