# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Lines "ours theirs" of rounds that took turns: medians of both, median and range of
# the ratio. Variables: what, ours, theirs, unit.
function sorted(a, n,    i, j, t)
{
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]
			a[j] = a[j - 1]
			a[j - 1] = t
		}
}
function median(a, n)
{
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
NF == 2 && $2 > 0 {
	n++
	a[n] = $1
	b[n] = $2
	r[n] = $1 / $2
}
END {
	if (!n) {
		print what ": no round succeeded"
		exit 1
	}
	sorted(a, n)
	sorted(b, n)
	sorted(r, n)
	printf "%s: %s %.4g, %s %.4g %s; ratio %.3f [%.3f .. %.3f], %d rounds\n",
		what, ours, median(a, n), theirs, median(b, n), unit, median(r, n), r[1], r[n], n
}
