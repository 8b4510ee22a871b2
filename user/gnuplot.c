// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A plot through gnuplot: the script goes in by a file in memory, the picture comes
 * back by another.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "kverbs.h"
#include "plot.h"

#define WIDTH		760
#define HEIGHT		360
#define COLUMNS		79
#define ROWS		22
#define SECONDS		60	/* longest a picture may take */
#define SCALE_WORD	"kverbs-scale "

/* between light and dark, and told apart by those who do not see all colours */
static const char *const colours[KV_CURVES_MAX] = {
	"#2f7ed8", "#e07b00", "#1f9d8a", "#b0529e", "#8a8a00", "#c43c39", "#6b5bd2", "#7a7a7a",
};

/*
 * A text in the script. A file may have said it: what gnuplot, SVG or HTML could take
 * for something else is not in it.
 */
static void put_quoted(FILE *file, const char *text, char quote)
{
	fputc(quote, file);
	for (; *text; text++)
		fputc(isalnum((unsigned char)*text) || strchr(" .,:;/()%+=_-|", *text) ? *text :
			'?', file);
	fputc(quote, file);
}

static void put_text(FILE *file, const char *text)
{
	put_quoted(file, text, '\'');
}

static void put_terminal(FILE *file, const struct kv_plot *plot, enum kv_terminal terminal)
{
	switch (terminal) {
	case KV_TERMINAL_SVG:
		fprintf(file, "set terminal svg size %d,%d dynamic noenhanced ", WIDTH, HEIGHT);
		fprintf(file, "font 'sans-serif,12' name '%s'\n", plot->id);
		break;
	case KV_TERMINAL_PNG:
		fprintf(file, "set terminal pngcairo size %d,%d noenhanced font 'sans,11'\n",
			WIDTH, HEIGHT);
		break;
	case KV_TERMINAL_DUMB:
		fprintf(file, "set terminal dumb size %d,%d noenhanced\n", COLUMNS, ROWS);
		break;
	}
	fputs("set output\nset encoding utf8\n", file);
}

static void put_rows(FILE *file, const struct kv_plot *plot)
{
	u32 i, j;

	for (i = 0; i < plot->ncurves; i++) {
		fprintf(file, "$d%u << EOD\n", i);
		for (j = 0; j < plot->curve[i].n; j++) {
			const struct kv_plot_row *row = &plot->curve[i].row[j];

			fprintf(file, "%u %.9g %.9g %.9g %.9g ", j, row->x, row->y, row->low,
				row->high);
			/* in data this is the quote; nothing within it means anything */
			put_quoted(file, row->label, '"');
			fputc('\n', file);
		}
		fputs("EOD\n", file);
	}
}

static void put_percentile_axis(FILE *file)
{
	double inverse;
	u32 nines;

	fputs("set logscale x\nset xtics ('0 %%' 1, '50 %%' 2, '90 %%' 10", file);
	for (nines = 2, inverse = 100; nines < 9; nines++, inverse *= 10)
		fprintf(file, ", '%.*f %%%%' %.0f", nines - 2, 100 - 100 / inverse, inverse);
	fputs(")\n", file);
}

static void put_axes(FILE *file, const struct kv_plot *plot)
{
	fputs("set datafile separator whitespace\nset grid\nset border 3\nset tics nomirror\n"
	      "set key outside top right horizontal\nset xlabel ", file);
	put_text(file, plot->xlabel);
	fputs("\nset ylabel ", file);
	put_text(file, plot->ylabel);
	fputc('\n', file);
	if (plot->kind == KV_PLOT_PERCENTILES)
		put_percentile_axis(file);
	else if (plot->logx)
		fputs("set logscale x 2\n", file);
	if (plot->logy)
		fputs("set logscale y\n", file);
	else if (plot->kind == KV_PLOT_LINES || plot->kind == KV_PLOT_STACKS)
		fputs("set yrange [0:*]\n", file);
}

static void put_curve(FILE *file, const struct kv_plot *plot, u32 i)
{
	const char *colour = colours[i];

	fprintf(file, "%s$d%u ", i ? ", " : "plot ", i);
	switch (plot->kind) {
	case KV_PLOT_LINES:
		fprintf(file, "using %s with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' title ",
			plot->named ? "1:3:xticlabels(6)" : "2:3", colour);
		break;
	case KV_PLOT_PERCENTILES:
		fprintf(file, "using 2:3 with lines lw 2 lc rgb '%s' title ", colour);
		break;
	case KV_PLOT_RATIOS:
		fputs("using 2:1:4:5:yticlabels(6) with xerrorbars lw 2 pt 7 ps 0.8 ", file);
		fprintf(file, "lc rgb '%s' title ", colour);
		break;
	case KV_PLOT_STACKS:
		fprintf(file, "using 3:xticlabels(6) lc rgb '%s' title ", colour);
		break;
	}
	put_text(file, plot->curve[i].name);
}

static void put_script(FILE *file, const struct kv_plot *plot, enum kv_terminal terminal)
{
	static const char *const scale[] = {
		"X_MIN", "X_MAX", "Y_MIN", "Y_MAX", "TERM_XMIN", "TERM_XMAX", "TERM_YMIN",
		"TERM_YMAX",
	};
	u32 i;

	put_terminal(file, plot, terminal);
	put_rows(file, plot);
	put_axes(file, plot);
	if (terminal != KV_TERMINAL_SVG) {
		fputs("set title ", file);
		put_text(file, plot->title);
		fputc('\n', file);
	}
	if (plot->kind == KV_PLOT_RATIOS)
		fprintf(file, "set yrange [%u.5:-0.5]\n%s\n", plot->curve[0].n - 1,
			"set xrange [*<1:1<*]\nset arrow from 1, graph 0 to 1, graph 1 nohead");
	if (plot->kind == KV_PLOT_STACKS)
		fputs("set style data histogram\nset style histogram rowstacked\n"
		      "set style fill solid 0.85 noborder\nset boxwidth 0.7\n", file);
	for (i = 0; i < plot->ncurves; i++)
		put_curve(file, plot, i);
	fputs("\nprint '" SCALE_WORD "'", file);
	for (i = 0; i < KV_ARRAY_SIZE(scale); i++)
		fprintf(file, ".sprintf('%%.10g ', GPVAL_%s)", scale[i]);
	fputc('\n', file);
}

/* all of a file in memory, ended by a 0 */
static char *contents(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *text = end < 0 ? NULL : malloc((size_t)end + 1);

	if (!text || pread(fd, text, (size_t)end, 0) != end) {
		free(text);
		return NULL;
	}
	text[end] = '\0';
	*size = (size_t)end;
	return text;
}

/* Return: what it exits with; 127 when it is not there */
static int run(int script, int picture, int words)
{
	pid_t child = fork();
	int status;

	if (!child) {
		dup2(script, STDIN_FILENO);
		dup2(picture, STDOUT_FILENO);
		dup2(words, STDERR_FILENO);
		alarm(SECONDS);
		setenv("GNUTERM", "unknown", 1);
		execlp("gnuplot", "gnuplot", "-d", "-", NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child < 0 || !WIFEXITED(status) ? 126 : WEXITSTATUS(status);
}

/* on the picture y counts down */
static void read_scale(const char *words, struct kv_drawn *drawn)
{
	const char *at = strstr(words, SCALE_WORD);
	double *s = drawn->scale;

	memset(s, 0, sizeof(drawn->scale));
	if (!at || sscanf(at + sizeof(SCALE_WORD) - 1, "%lf %lf %lf %lf %lf %lf %lf %lf", s, s + 1,
			  s + 2, s + 3, s + 4, s + 5, s + 6, s + 7) != 8)
		return;
	s[6] = HEIGHT - s[6];
	s[7] = HEIGHT - s[7];
}

static int draw(int script, int picture, int words, struct kv_drawn *drawn,
		struct kv_error *error)
{
	int rc = run(script, picture, words);
	char *said, *line;
	size_t size = 0;

	if (rc == 127)
		return kv_error_set(error, KV_EXIT_ENVIRONMENT,
				    "no gnuplot here, and so no plots: install the package %s",
				    KV_GNUPLOT_PACKAGE);
	said = contents(words, &size);
	drawn->data = contents(picture, &drawn->size);
	if (rc || !said || !drawn->data || !drawn->size) {
		/* its complaint is below the line it is about */
		line = said ? strstr(said, "line ") : NULL;
		kv_error_set(error, KV_EXIT_ENVIRONMENT, "gnuplot failed (status %d): %.*s", rc,
			     line ? (int)strcspn(line, "\n") : 0, line ? line : "");
		rc = -1;
	} else {
		read_scale(said, drawn);
	}
	free(said);
	return rc;
}

/**
 * kv_gnuplot - draw a plot
 * @plot: plot, with at least one row
 * @terminal: as what
 * @drawn: filled on success
 * @error: filled on failure
 * Return: 0, or -1
 */
int kv_gnuplot(const struct kv_plot *plot, enum kv_terminal terminal, struct kv_drawn *drawn,
	       struct kv_error *error)
{
	int fd[3], i, rc = 0;
	FILE *script;

	memset(drawn, 0, sizeof(*drawn));
	for (i = 0; i < 3; i++) {
		fd[i] = memfd_create("gnuplot", MFD_CLOEXEC);
		if (fd[i] < 0)
			rc = kv_error_set(error, KV_EXIT_ENVIRONMENT, "plot: %s", strerror(errno));
	}
	script = rc ? NULL : fdopen(dup(fd[0]), "w");
	if (script) {
		put_script(script, plot, terminal);
		rc = fclose(script);
		lseek(fd[0], 0, SEEK_SET);
		if (!rc)
			rc = draw(fd[0], fd[1], fd[2], drawn, error);
	}
	for (i = 0; i < 3; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	if (rc) {
		free(drawn->data);
		drawn->data = NULL;
	}
	return rc ? -1 : 0;
}
