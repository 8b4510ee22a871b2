# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# TAP for the tests that run in a guest. Each test ends by "plan". KVERBS_GUEST says
# which guest it is: vm or uml.

set -u -o pipefail

n=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Emulation is slow, and both CPUs may be busy with it.
patience=120
# so is looking at every access to memory and every lock on the way
case $(uname -r) in
*-kverbs-x86-*) patience=600 ;;
esac
# Time that counts instructions leaps while the guest waits for its host.
[ "${KVERBS_CLOCK_UNIT-}" != insn ] || patience=36000

# For what is long: user-mode Linux is there for the kernel's side, and a hop between two
# threads of user space takes a tick of its clock.
engines=(kernel user)
[ "${KVERBS_GUEST-}" != uml ] || engines=(kernel)

ok()
{
	n=$((n + 1))
	echo "ok $n - $*"
}

not_ok()
{
	n=$((n + 1))
	echo "not ok $n - $*"
}

skip()
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# note FILE...: their contents as diagnostics
note()
{
	local file

	for file; do
		[ ! -s "$file" ] || head -c 4000 "$file" | sed 's/^/# /'
	done
}

# check NAME COMMAND...: passes when the command succeeds
check()
{
	local name=$1

	shift
	if [ "$1" = jq ] && ! [[ " $* " = *" -e "* ]]; then
		not_ok "$name"
		echo "# jq without -e finds nothing wrong"
		return 1
	fi
	# of a file that is empty jq 1.6 says nothing, and that it is well
	if "$@" >"$work/check" 2>&1 && { [ "$1" != jq ] || [ -s "$work/check" ]; }; then
		ok "$name"
	else
		not_ok "$name"
		echo "# $*"
		note "$work/check"
		return 1
	fi
}

plan()
{
	echo "1..$n"
}

# kv ARGUMENT...: kverbs, with a time limit; output in $work/out and $work/err, status in
# $rc
kv()
{
	timeout -k 5 "$patience" kverbs "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	return 0
}

# refused NAME STATUS PATTERN ARGUMENT...: kverbs refuses, by one line that matches, and
# prints nothing else
refused()
{
	local name=$1 status=$2 pattern=$3

	shift 3
	kv "$@"
	if [ "$rc" -eq "$status" ] && [ ! -s "$work/out" ] &&
		[ "$(wc -l <"$work/err")" -eq 1 ] && grep -qE -- "$pattern" "$work/err"; then
		ok "$name"
		return
	fi
	not_ok "$name"
	echo "# kverbs $*: status $rc, expected $status and /$pattern/"
	note "$work/out" "$work/err"
}

# What has to hold of a run that was done, whatever it was. $ops: operations of each
# initiator, 0 for "some".
# shellcheck disable=SC2016 # of jq, not of the shell
sound='
def lanes(r): .run.lanes | map(select(.role == r));
.schema == "kverbs-run/1" and .run.state == "done" and .run.reason == "complete"
and (.run.lanes | length > 0 and all(
	.reason == "complete"
	and .counters.total_wrs == .counters.total_retired
	and .counters.wrs == .counters.retired
	and .counters.signalled == .counters.wcs
	and .counters.forced <= .counters.signalled))
and (lanes("initiator") | all(
	.counters.ops > 0 and ($ops == 0 or .counters.ops == $ops)
	and .counters.ops == .counters.wrs
	and .counters.total_wrs == .counters.ops + .counters.warmup_ops))
and ((lanes("initiator") | map(.counters.ops) | add) as $all |
	lanes("responder") | length == 0 or (map(.counters.ops) | add) == $all)
and (.run.checks | all(.failed == 0))'

# sound_run NAME OPS ARGUMENT...: kverbs run ends well, and what it says holds
sound_run()
{
	local name=$1 ops=$2

	shift 2
	kv run --json "$@"
	if [ "$rc" -eq 0 ] && jq -e --argjson ops "$ops" "$sound" "$work/out" >/dev/null 2>"$work/jq"; then
		ok "$name"
		return
	fi
	not_ok "$name"
	echo "# kverbs run --json $*: status $rc"
	note "$work/err" "$work/jq"
	jq -c 'del(.. | .histograms?)' "$work/out" 2>/dev/null | head -c 5000 | sed 's/^/# /'
	return 1
}

# until_true SECONDS COMMAND...: waits for it
until_true()
{
	local limit=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $limit ] || return 1
		sleep 0.1
	done
}

# a run of the module is in this state
run_state()
{
	grep -qsx "state $1" /sys/kernel/debug/kverbs/*/state
}

# a run of the module is there, if only for a moment: no process is started to see it
run_exists()
{
	compgen -G '/sys/kernel/debug/kverbs/*/state'
}

# the module has forgotten all runs: beside their folders there are files of its own
no_runs()
{
	! compgen -G '/sys/kernel/debug/kverbs/[0-9]*'
}

# verbs objects that the kernel holds in our name
our_objects()
{
	rdma resource show qp | grep -F '[kverbs]' ||
		rdma resource show cq | grep -F '[kverbs]' ||
		rdma resource show mr | grep -F '[kverbs]' ||
		rdma resource show pd | grep -F '[kverbs]'
}

# a QP of a run of either engine
qps_there()
{
	rdma resource show qp | grep -q kverbs
}

no_objects()
{
	! our_objects
}

# background NAME ARGUMENT...: kverbs, to be waited for by "ended"; $job is its pid
background()
{
	kverbs "$@" >"$work/bg.out" 2>"$work/bg.err" </dev/null &
	job=$!
}

# The same, for SIGINT. A shell has background jobs ignore SIGINT; a terminal's Ctrl-C does not meet that.
interruptible()
{
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execvp(sys.argv[1], sys.argv[1:])' kverbs "$@" >"$work/bg.out" 2>"$work/bg.err" </dev/null &
	job=$!
}

# ended SECONDS: it has; its status in $rc, 124 when it had to be killed
ended()
{
	if until_true "$1" has_ended "$job"; then
		wait "$job"
		rc=$?
	else
		kill -KILL "$job"
		wait "$job" 2>/dev/null
		rc=124
	fi
}

has_ended()
{
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}
