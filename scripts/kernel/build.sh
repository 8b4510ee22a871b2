# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Building kernels for tests from the distribution's source, once for each architecture
# (um, x86), flavour, configuration and package version. Sourced by scripts/uml and
# scripts/vm, which set $top, $cache, die(), note() and missing().
# shellcheck disable=SC2154 # those

kernel_tarball=/usr/src/linux-source-6.1.tar.xz
kernel_parts=$top/scripts/kernel

# Only what the configuration and the build read: Kconfig files of everything, code of
# little. A third of the tree, and half the time to unpack.
kernel_unneeded=(
	'*/Documentation/*/*' '*/arch/[!ux]*/*.[chS]' '*/sound/*.[ch]'
	'*/drivers/gpu/*.[ch]' '*/drivers/media/*.[ch]'
	'*/drivers/staging/*.[ch]' '*/drivers/net/ethernet/[!m]*.[ch]'
	'*/drivers/net/wireless/*.[ch]' '*/drivers/scsi/*.[ch]'
	'*/tools/perf/*' '*/tools/testing/selftests/*' '*.dts' '*.dtsi'
)

# kernel_known ARCH FLAVOUR: is there such a flavour? "plain" is what adds nothing.
kernel_known()
{
	[[ $2 =~ ^[a-z]+$ ]] || return
	[ "$2" = plain ] || [ -e "$kernel_parts/$1-$2.config" ]
}

kernel_fragments()
{
	local part

	for part in all "$1" "$2" "$1-$2"; do
		[ ! -e "$kernel_parts/$part.config" ] || printf '%s\n' "$kernel_parts/$part.config"
	done
}

kernel_version()
{
	[ -r "$kernel_tarball" ] || missing "$kernel_tarball"
	dpkg-query -W -f '${Version}' linux-source-6.1 2>/dev/null ||
		stat -c %s-%Y "$kernel_tarball"
}

# kernel_tree ARCH FLAVOUR: the directory its kernel is, or will be, built in.
kernel_tree()
{
	local version fragments key

	version=$(kernel_version) || exit
	mapfile -t fragments < <(kernel_fragments "$1" "$2")
	[ "$1" != um ] || fragments+=("$kernel_parts/um.patch")
	key=$(cat "${fragments[@]}" | sha256sum)
	printf '%s/kernel/%s-%s-%s-%s\n' "$cache" "$version" "$1" "$2" "${key:0:12}"
}

# kernel_source: prints the directory of the source, unpacked if need be.
kernel_source()
{
	local version key src fd i
	local -a exclude=()

	version=$(kernel_version) || exit
	key=$({ printf '%s\n' "${kernel_unneeded[@]}"; cat "$kernel_parts/um.patch"; } | sha256sum)
	src=$cache/kernel/$version-source-${key:0:12}
	mkdir -p "$src" || die "cannot write to $cache"
	exec {fd}>"$src.lock"
	flock "$fd"
	if [ ! -e "$src/.complete" ]; then
		for i in "${kernel_unneeded[@]}"; do
			exclude+=(--exclude "$i")
		done
		rm -rf "$src"
		mkdir -p "$src"
		tar -C "$src" --strip-components=1 "${exclude[@]}" -xf "$kernel_tarball" ||
			die "cannot unpack $kernel_tarball into $src (disk full?)"
		(cd "$src" && busybox patch -p1 -i "$kernel_parts/um.patch") >/dev/null ||
			die "scripts/kernel/um.patch does not apply to $kernel_tarball"
		touch "$src/.complete"
	fi
	exec {fd}>&-
	printf '%s\n' "$src"
}

# kernel_make ARCH FLAVOUR SOURCE TREE: configures and builds; what it says is a log.
kernel_make()
{
	local make=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$3" "ARCH=$1" "O=$4")
	local name=$2 fragments

	# What is entered by PVH, and what it calls, run before KASAN has a shadow to look at.
	make+=(KASAN_SANITIZE_enlighten.o=n KASAN_SANITIZE_string.o=n)
	# Races of the kernel's own would be told, too, and it would be slow.
	[ "$2" != kcsan ] || make+=(KCSAN_SANITIZE=n)
	# A release of its own keeps the modules of each apart.
	[ "$1" = um ] || name=$1-$2
	mapfile -t fragments < <(kernel_fragments "$1" "$2")
	{
		printf 'CONFIG_LOCALVERSION="-kverbs-%s"\n' "$name"
		cat "${fragments[@]}"
	} >"$4/fragment"
	"${make[@]}" KCONFIG_ALLCONFIG="$4/fragment" allnoconfig || return
	case $1 in
	um) "${make[@]}" -j"$(nproc)" all ;;
	x86)
		"${make[@]}" -j"$(nproc)" vmlinux modules &&
			"${make[@]}" INSTALL_MOD_PATH="$4/root" modules_install
		;;
	esac
}

# kernel_build ARCH FLAVOUR: prints the kernel tree (KDIR for modules), built if need be.
# Concurrent callers wait for the first one.
kernel_build()
{
	local tree src fd i lost

	tree=$(kernel_tree "$1" "$2") || exit
	if [ -e "$tree/.complete" ]; then
		printf '%s\n' "$tree"
		return
	fi
	for i in gcc make flex bison bc xz busybox; do
		command -v "$i" >/dev/null || missing "$i"
	done
	[ "$1" = um ] || [ -e /usr/include/libelf.h ] || missing /usr/include/libelf.h

	src=$(kernel_source) || exit
	mkdir -p "$tree"
	exec {fd}>"$tree.lock"
	flock "$fd"
	if [ ! -e "$tree/.complete" ]; then
		note "building the kernel $1 $2 once, some minutes; log in $tree/build.log"
		kernel_make "$1" "$2" "$src" "$tree" >"$tree/build.log" 2>&1 </dev/null ||
			die "building the kernel $1 $2 failed: $(grep -m1 -iE 'error|\*\*\*' "$tree/build.log"); log in $tree/build.log"
		lost=$(grep '^CONFIG' "$tree/fragment" | grep -vxFf "$tree/.config" | tr '\n' ' ')
		[ -z "$lost" ] ||
			die "the kernel $1 $2 does not take: $lost(configuration $tree/.config)"
		touch "$tree/.complete"
	fi
	exec {fd}>&-
	printf '%s\n' "$tree"
}

# kernel_builtin ARCH FLAVOUR: prints the kernel tree with kverbs and its KUnit suites built
# in: a copy of that flavour's below build/, of which only what is new is compiled.
kernel_builtin()
{
	local tree src out link fd

	tree=$(kernel_build "$1" "$2") || exit
	tree=$(realpath "$tree")
	src=$(realpath "$tree/source")
	out=$top/build/builtin-$1-$2
	mkdir -p "$out"
	exec {fd}>"$out/lock"
	flock "$fd"
	if [ "$(cat "$out/of" 2>/dev/null)" != "$tree" ]; then
		note "a copy of $tree, with kverbs built in; log in $out/build.log"
		rm -rf "$out/source" "$out/tree" "$out/of"
		# Links where that can be: nothing is written to a source but what is replaced.
		cp -al "$src" "$out/source" 2>/dev/null || cp -a "$src" "$out/source" || die "cannot copy $src"
		cp -a "$tree" "$out/tree" || die "cannot copy $tree"
		# Every command was noted with the path of the source, and of another is made anew.
		find "$out/tree" \( -name '*.cmd' -o -name '*.d' -o -name Makefile \) \
			-exec sed -i "s|$src/|$out/source/|g; s|$src\$|$out/source|" {} +
		ln -sfn "$out/source" "$out/tree/source"
		link=$out/source/drivers/infiniband
		ln -s "$top" "$link/ulp/kverbs"
		# shellcheck disable=SC2016 # it is make's
		sed -i '$aobj-$(CONFIG_KVERBS) += kverbs/' "$link/ulp/Makefile"
		sed -i '/^source.*opa_vnic/a source "drivers/infiniband/ulp/kverbs/Kconfig"' "$link/Kconfig"
		printf '%s\n' "$tree" >"$out/of"
	fi
	{
		cp "$tree/.config" "$out/tree/.config" &&
			cat "$top/tests/kunit/.kunitconfig" >>"$out/tree/.config" &&
			kernel_make_in "$1" "$out" olddefconfig &&
			kernel_make_in "$1" "$out" -j"$(nproc)"
	} >"$out/build.log" 2>&1 </dev/null ||
		die "building kverbs into the kernel $1 $2 failed: $(grep -m1 -iE 'error|\*\*\*' "$out/build.log"); log in $out/build.log"
	src=$(grep '^CONFIG' "$top/tests/kunit/.kunitconfig" | grep -vxFf "$out/tree/.config" | tr '\n' ' ')
	[ -z "$src" ] || die "the kernel $1 $2 does not take: $src(configuration $out/tree/.config)"
	exec {fd}>&-
	printf '%s\n' "$out/tree"
}

# kernel_make_in ARCH DIR ARGUMENT...
kernel_make_in()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u KDIR make -C "$2/source" "ARCH=$1" "O=$2/tree" "${@:3}"
}
