# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Building the user-mode Linux kernels, once for each flavour and package
# version. Sourced by scripts/uml, which sets $top, $cache and die().
# shellcheck disable=SC2154 # those two variables

uml_tarball=/usr/src/linux-source-6.1.tar.xz

# Only what the configuration and the build of ARCH=um read: Kconfig files of
# everything, code of little. A third of the tree, and half the time to unpack.
uml_unneeded=(
	'*/Documentation/*/*' '*/arch/[!ux]*/*.[chS]' '*/sound/*.[ch]'
	'*/drivers/gpu/*.[ch]' '*/drivers/media/*.[ch]'
	'*/drivers/staging/*.[ch]' '*/drivers/net/ethernet/*.[ch]'
	'*/drivers/net/wireless/*.[ch]' '*/drivers/scsi/*.[ch]'
	'*/tools/perf/*' '*/tools/testing/selftests/*' '*.dts' '*.dtsi'
)

uml_fragments()
{
	printf '%s\n' "$top/scripts/uml.config"
	[ "$1" = plain ] || printf '%s\n' "$top/scripts/uml.config.$1"
}

# uml_tree FLAVOUR: the directory its kernel is, or will be, built in.
uml_tree()
{
	local flavour=$1 version fragments key

	[ -r "$uml_tarball" ] || missing "$uml_tarball"
	version=$(dpkg-query -W -f '${Version}' linux-source-6.1 2>/dev/null) ||
		version=$(stat -c %s-%Y "$uml_tarball")
	mapfile -t fragments < <(uml_fragments "$flavour")
	key=$(cat "${fragments[@]}" "$top/scripts/uml.patch" | sha256sum)
	printf '%s/uml/%s-%s-%s\n' "$cache" "$version" "$flavour" "${key:0:12}"
}

uml_source()
{
	local src=$1 i
	local -a exclude=()

	[ -e "$src/.complete" ] && return
	for i in "${uml_unneeded[@]}"; do
		exclude+=(--exclude "$i")
	done
	rm -rf "$src"
	mkdir -p "$src"
	tar -C "$src" --strip-components=1 "${exclude[@]}" -xf "$uml_tarball" ||
		die "cannot unpack $uml_tarball into $src (disk full?)"
	(cd "$src" && busybox patch -p1 -i "$top/scripts/uml.patch") >/dev/null ||
		die "scripts/uml.patch does not apply to $uml_tarball"
	touch "$src/.complete"
}

# uml_build FLAVOUR: prints the kernel tree (KDIR for modules), built if need
# be. Concurrent callers wait for the first one.
uml_build()
{
	local flavour=$1 tree src fd i lost fragments key

	tree=$(uml_tree "$flavour") || exit
	if [ -e "$tree/.complete" ]; then
		printf '%s\n' "$tree"
		return
	fi
	for i in gcc make flex bison bc xz busybox; do
		command -v "$i" >/dev/null || missing "$i"
	done

	mkdir -p "$tree"
	key=$(sha256sum <"$top/scripts/uml.patch")
	src=$(basename "$tree")
	src=$cache/uml/src-${src%-*-*}-${key:0:12}
	exec {fd}>"$src.lock"
	flock "$fd"
	uml_source "$src"
	exec {fd}>&-

	exec {fd}>"$tree.lock"
	flock "$fd"
	if [ ! -e "$tree/.complete" ]; then
		note "building user-mode Linux ($flavour) once, some minutes; log in $tree/build.log"
		mapfile -t fragments < <(uml_fragments "$flavour")
		# A release of its own keeps the flavours' modules apart.
		{
			printf 'CONFIG_LOCALVERSION="-kverbs-%s"\n' "$flavour"
			cat "${fragments[@]}"
		} >"$tree/fragment"
		{
			make -C "$src" ARCH=um O="$tree" \
				KCONFIG_ALLCONFIG="$tree/fragment" allnoconfig &&
			make -C "$src" ARCH=um O="$tree" -j"$(nproc)" all
		} >"$tree/build.log" 2>&1 </dev/null ||
			die "building user-mode Linux failed: $(grep -m1 -iE 'error|\*\*\*' "$tree/build.log"); log in $tree/build.log"
		lost=$(grep '^CONFIG' "$tree/fragment" | grep -vxFf "$tree/.config" | tr '\n' ' ')
		[ -z "$lost" ] ||
			die "user-mode Linux does not take: $lost(configuration $tree/.config)"
		touch "$tree/.complete"
	fi
	exec {fd}>&-
	printf '%s\n' "$tree"
}
