# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The host's half of running a command in a guest: options, the errand (a
# folder that tells the guest what to do), the streams between the two, and the
# verdict. Sourced by scripts/vm and scripts/uml, which add how their kernel is
# started; scripts/guest/init is the guest's half.
#
# The contract: stdout and stderr are the command's, byte for byte, and so is
# the exit status. 124: time-out. 125: the guest itself failed, or its kernel
# log holds a splat; then stderr says which.

set -u -o pipefail

self=$(basename "$0")
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck disable=SC2034 # for the launchers
cache=${KVERBS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kverbs}

# Commands of the system live in sbin too, which is not in every user's PATH.
PATH=$PATH:/usr/sbin:/sbin

# Options both launchers know.
# shellcheck disable=SC2034 # for the launchers and, by declare -p, the guest
opt_env=() opt_insmod=() opt_share=()
opt_faults='' opt_hca='' opt_keep='' opt_module=auto opt_nullhca='' opt_param='' opt_rxe=y opt_siw='' opt_splats=''
opt_timeout=600 opt_verbose=''
taken=0
command=()

# Set where stdin goes by files of the errand: a serial line of user-mode Linux
# knows no end of file, and stalls when the guest is slower than we are.
stdin_chunks=''

die()
{
	printf '%s: %s\n' "$self" "$*" >&2
	exit 125
}

note()
{
	printf '%s: %s\n' "$self" "$*" >&2
}

# missing THING: the line that says which package to install.
missing()
{
	local package

	package=$("$top/scripts/setup" --which "$1" 2>/dev/null) ||
		die "$1 is missing here"
	die "$1 is missing: install the package $package (scripts/setup $self installs all that $self needs)"
}

# need COMMAND...: dies with the package when one is not there.
need()
{
	local thing

	for thing; do
		command -v "$thing" >/dev/null || missing "$thing"
	done
	# The one with shared libraries has the same name, and is no use in an
	# initramfs.
	if ! busybox=$(command -v busybox) || grep -aq '/ld-linux' "$busybox"; then
		missing busybox-static
	fi
}

common_usage()
{
	cat <<-END
	  --timeout SECONDS  give up, with status 124 (default $opt_timeout)
	  --env NAME[=VALUE] pass this variable on; may be repeated
	  --share DIR        a folder the command may write to, at the same path
	  --module FILE      this kverbs.ko instead of build/RELEASE/kverbs.ko
	  --no-module        without kverbs
	  --param 'K=V ...'  module parameters for kverbs
	  --insmod FILE      one more module, loaded after kverbs; may be repeated
	  --no-rxe           without the software device rxe0
	  --siw              with the software iWARP device siw0
	  --nullhca          with null0, a device that does nothing and can be told to fail
	                     (tests/nullhca)
	  --faults           with a module whose calls fail when told to (tests/faults)
	  --keep             leave module and devices as the command leaves them
	  --allow-splats     do not fail on what the kernel log holds
	  -v, --verbose      kernel log to stderr
	Without COMMAND: a shell there, or the script on stdin.
	Status: the command's (128+n for a signal); 124 time-out; 125 the guest failed
	or its kernel log holds a warning, a report or a leak.
	END
}

# common_option "$@": takes one option both launchers know. Sets $taken to the
# number of words it used, 0 if it is none of them.
# shellcheck disable=SC2034 # taken is for the caller
common_option()
{
	taken=2
	case $1 in
	--timeout | --env | --share | --module | --param | --insmod)
		[ $# -ge 2 ] || die "option $1 needs a value (see --help)"
		;;
	esac
	case $1 in
	--timeout)
		[[ $2 =~ ^[1-9][0-9]*$ ]] || die "--timeout '$2': a number of seconds above 0"
		opt_timeout=$2
		;;
	--env)
		case $2 in
		*=*) opt_env+=("$2") ;;
		*) [ -z "${!2+set}" ] || opt_env+=("$2=${!2}") ;;
		esac
		;;
	--share)
		[ -d "$2" ] || die "--share '$2': no such folder"
		opt_share+=("$(realpath "$2")")
		;;
	--module)
		[ -r "$2" ] || die "--module '$2': no such file"
		opt_module=$(realpath "$2")
		;;
	--insmod)
		[ -r "$2" ] || die "--insmod '$2': no such file"
		opt_insmod+=("$(realpath "$2")")
		;;
	--param) opt_param=$2 ;;
	*)
		taken=1
		case $1 in
		--no-module) opt_module='' ;;
		--no-rxe) opt_rxe='' ;;
		--siw) opt_siw=y ;;
		--nullhca) opt_nullhca=y ;;
		--faults) opt_faults=y ;;
		--keep) opt_keep=y ;;
		--allow-splats) opt_splats=y ;;
		-v | --verbose) opt_verbose=y ;;
		*) taken=0 ;;
		esac
		;;
	esac
}

# module_current KDIR: is it built, for that tree, from the sources as they are?
module_current()
{
	[ -e "$opt_module" ] &&
		[ "$(cat "${opt_module%/*}/.kdir" 2>/dev/null)" = "$(realpath "$1")" ] &&
		[ -z "$(find "$top"/kmod "$top"/include "$top"/tests/faults "$top"/Kbuild -newer "$opt_module" -print -quit)" ]
}

# find_module RELEASE KDIR: sets opt_module to the file, building it if it is
# missing or older than its source. Concurrent callers wait for the first one.
find_module()
{
	local log fd

	[ "$opt_module" = auto ] || return
	opt_module=$top/build/$1${opt_faults:+-faults}/kverbs.ko
	module_current "$2" && return
	mkdir -p "$top/build"
	exec {fd}>"$top/build/.module.lock"
	flock "$fd"
	if ! module_current "$2"; then
		# Its output is no part of the command's.
		log=$(make -s -C "$top" module KDIR="$2" KVERBS_FAULTS="$opt_faults" 2>&1 </dev/null) ||
			die "kverbs does not build for $1 (make module KDIR=$2): $(grep -m1 -E 'error|\*\*\*|:' <<<"$log")"
		[ -e "$opt_module" ] || die "make module KDIR=$2 did not make $opt_module"
		touch "$opt_module"
	fi
	exec {fd}>&-
}

# find_nullhca KDIR: builds the null device if it is asked for; it is one more module.
find_nullhca()
{
	local file

	[ "$opt_nullhca" ] || return 0
	file=$("$top/tests/nullhca/build" "$1" 2>/dev/null) ||
		die "the null device does not build: tests/nullhca/build $1"
	opt_insmod+=("$file")
}

# errand_write: what the guest is to do, in a folder it can read.
errand_write()
{
	errand=$(mktemp -d "${TMPDIR:-/tmp}/kverbs-$self.XXXXXXXX") || die "cannot make a temporary folder"
	trap errand_end EXIT
	mkfifo "$errand"/{out,err,in,ctl} ||
		die "cannot make fifos in $errand"
	: >"$errand/status"
	: >"$errand/console"
	exec {stdin}<&0

	interactive='' forward=''
	if [ ${#command[@]} -eq 0 ]; then
		command=(/bin/bash)
		if [ -t 0 ] && [ -t 1 ]; then
			interactive=y
			command=(/bin/bash -i)
		fi
	fi
	if [ -z "$interactive" ] && { [ -p /dev/stdin ] || [ -f /dev/stdin ] || [ -S /dev/stdin ]; }; then
		forward=y
	fi
	{
		declare -p opt_hca opt_keep opt_module opt_param opt_rxe opt_siw opt_insmod opt_share
		declare -p interactive forward stdin_chunks
		[ -z "$interactive" ] || printf 'tty_size=%q\n' "$(stty size)"
	} >"$errand/settings"
	printf '%s\0' "${command[@]}" >"$errand/argv"
	printf '%s' "$PWD" >"$errand/cwd"
	{
		printf '%s\0' "HOME=/root" "USER=root" "LOGNAME=root" "SHELL=/bin/bash" \
			"TERM=${TERM:-dumb}" "LANG=${LANG:-C.UTF-8}" "KVERBS_GUEST=$self" \
			"PATH=$top/build:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
		[ ${#opt_env[@]} -eq 0 ] || printf '%s\0' "${opt_env[@]}"
	} >"$errand/env"
}

errand_end()
{
	[ -z "${guest_pid-}" ] || kill "$guest_pid" 2>/dev/null
	[ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null
	[ -z "${errand-}" ] || rm -rf "$errand"
}
helpers=()

# Drains a stream of the guest to ours. When our reader has gone, the command
# gets what it would get here, SIGPIPE, and the rest is thrown away.
drain()
{
	cat <"$errand/$1" || {
		echo PIPE >&"$ctl"
		cat <"$errand/$1" >/dev/null
	}
}

# guest_run COMMAND...: runs the emulator, the streams and the signals around it.
# It must put the guest's ports on the errand's fifos (its own stdin is the
# command's) and the kernel log in $errand/console. Sets $timed_out.
guest_run()
{
	local drains=() interrupts=0 input=/dev/null

	exec {ctl}<>"$errand/ctl"
	drain out &
	drains+=($!)
	drain err >&2 &
	drains+=($!)
	if [ "$forward" ]; then
		if [ "$stdin_chunks" ]; then
			{
				setpriv --pdeathsig TERM split -b 1M -d -a 6 - "$errand/in."
				: >"$errand/in.end"
			} <&"$stdin" 2>/dev/null &
		else
			# Not our stdin itself: others share it, and the
			# emulator would make it non-blocking.
			input=$errand/in
			cat <&"$stdin" >"$input" 2>/dev/null &
		fi
		helpers+=($!)
	fi
	if [ "$opt_verbose" ]; then
		tail -n +1 -f "$errand/console" >&2 &
		helpers+=($!)
	fi

	# The first one is for the command, which may still want to print.
	trap 'interrupts=$((interrupts + 1))
		if [ $interrupts -eq 1 ]; then echo INT >&"$ctl"; else kill "$guest_pid"; fi' INT
	stopped=130
	trap 'stopped=143 interrupts=2; kill "$guest_pid"' TERM
	trap 'stopped=129 interrupts=2; kill "$guest_pid"' HUP

	timed_out=''
	# A session of its own, so that Ctrl-C does not reach it; and it does not
	# outlive this script.
	if [ "$interactive" ]; then
		setpriv --pdeathsig KILL "$@" <&"$stdin" &
	else
		setsid setpriv --pdeathsig TERM timeout -k 5 "$opt_timeout" "$@" \
			<"$input" >>"$errand/emulator" 2>&1 &
	fi
	guest_pid=$!
	while :; do
		wait "$guest_pid"
		guest_rc=$?
		kill -0 "$guest_pid" 2>/dev/null || break
	done
	guest_pid=''
	trap '' INT TERM HUP
	[ "$guest_rc" -ne 124 ] || timed_out=y

	# Whoever still waits for the guest to open its end sees the end of file.
	: <>"$errand/out"
	: <>"$errand/err"
	wait "${drains[@]}" 2>/dev/null
	guest_interrupts=$interrupts
}

# What must not stand in a kernel log. Written for grep -E, case matters.
splats='WARNING:|\bBUG:|\bOops\b|general protection fault|unable to handle|Call Trace:'
splats+='|(KASAN|KCSAN|KMSAN|KFENCE|UBSAN):|DMA-API:.*(error|warn|fail)'
splats+='|INFO: (possible|task .* blocked|rcu|trying to register|lockdep)'
splats+='|possible (recursive|circular|irq)|inconsistent lock state|bad unlock balance|held lock freed'
splats+='|suspicious RCU usage|turning off the locking correctness|ODEBUG:'
splats+='|kmemleak: [1-9][0-9]* new suspected|lockup|self-detected stall|detected stalls|stall on CPU'
splats+='|blocked for more than|scheduling while atomic|sleeping function called'
splats+='|refcount_t:|unregister_netdevice: waiting|(list_add|list_del|slab) corruption|Bad page state'
splats+='|Kernel panic|cut here|detected buffer overflow|nobody cared'

# own_reports LOG: the log, line for line, without the reports that are no fault of what is
# tested: memory that could not be had is told with a trace; and user-mode Linux 6.1 takes a
# lock that may sleep in a thread's first steps, before it has let go of the run queue's.
own_reports()
{
	awk '
		{ line[NR] = $0 }
		/BUG: spinlock recursion/ { from = NR }
		/fork_handler/ && from && NR - from < 100 {
			for (; from <= NR; from++)
				line[from] = ""
			from = 0
		}
		# objects are tracked with memory of which faults are injected, too
		/ODEBUG: Out of memory/ { line[NR] = "" }
		/vmalloc error|page allocation failure/ { report = 20 }
		report && /Call Trace:/ { line[NR] = "" }
		{ report -= report > 0 }
		END { for (i = 1; i <= NR; i++) print line[i] }' "$1"
}

# guest_verdict: the end of the launcher: says what went wrong, exits.
guest_verdict()
{
	local log status rc='' detail='' first

	log=${errand}.log
	tr -d '\r\000' <"$errand/console" >"$log"
	first=$(own_reports "$log" | grep -a -n -m1 -E "$splats" | cut -d: -f1)
	[ -z "$opt_splats" ] || first=''
	read -r status detail <"$errand/status" || :

	if [ "$first" ]; then
		note "the guest's kernel log holds a splat (all of it in $log):"
		sed -n "$first,$((first + 59))p" "$log" >&2
		rc=125
	elif [ "$timed_out" ]; then
		note "no end after $opt_timeout s (--timeout); kernel log in $log"
		rc=124
	elif [ "$status" = exit ] && [[ $detail =~ ^[0-9]+$ ]]; then
		rm -f "$log"
		exit "$detail"
	elif [ "$status" = failed ]; then
		note "$detail (kernel log in $log)"
		rc=125
	elif [ "$guest_interrupts" -gt 0 ]; then
		rm -f "$log"
		rc=$stopped
	else
		note "the guest ended without a status; kernel log in $log, its end:"
		{ tail -n 12 "$log"; tail -n 5 "$errand/emulator" 2>/dev/null; } | sed 's/^/  /' >&2
		rc=125
	fi
	exit "$rc"
}
