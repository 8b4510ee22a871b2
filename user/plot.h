/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Plots: what is drawn, and gnuplot that draws it.
 */
#ifndef KV_PLOT_H
#define KV_PLOT_H

#include "document.h"

#define KV_CURVES_MAX	8
#define KV_PLOT_TEXT	64

#define KV_GNUPLOT_PACKAGE	"gnuplot-nox"

enum kv_plot_kind {
	KV_PLOT_LINES,		/* y over x */
	KV_PLOT_PERCENTILES,	/* the same, x is 1/(1-p) and shown as p */
	KV_PLOT_RATIOS,		/* one x with its interval a row */
	KV_PLOT_STACKS,		/* the curves upon each other, a bar a row */
};

/* a row of a curve; @label stands at the axis where rows have names */
struct kv_plot_row {
	double x;
	double y;
	double low;
	double high;
	char label[KV_PLOT_TEXT];
};

struct kv_curve {
	char name[KV_PLOT_TEXT];
	u32 n;
	u32 room;
	struct kv_plot_row *row;
};

/**
 * struct kv_plot - one picture
 * @id: of letters, digits and _, in names of files and of elements
 * @named: rows have labels, and x is their number
 * @logx: logarithmic; likewise @logy
 */
struct kv_plot {
	enum kv_plot_kind kind;
	char id[KV_PLOT_TEXT];
	char title[160];
	char xlabel[KV_PLOT_TEXT];
	char ylabel[KV_PLOT_TEXT];
	bool named;
	bool logx;
	bool logy;
	u32 ncurves;
	struct kv_curve curve[KV_CURVES_MAX];
};

struct kv_plots {
	u32 n;
	u32 room;
	struct kv_plot *plot;
};

/* plots.c */
int kv_plots_of(struct kv_doc *const *doc, u32 n, struct kv_plots *plots,
		struct kv_error *error);
void kv_plots_free(struct kv_plots *plots);

/* gnuplot.c */
enum kv_terminal {
	KV_TERMINAL_SVG,
	KV_TERMINAL_PNG,
	KV_TERMINAL_DUMB,
};

/**
 * struct kv_drawn - what gnuplot drew
 * @data: to be freed
 * @scale: where the axes are: smallest and largest x, y; their places in the picture
 */
struct kv_drawn {
	char *data;
	size_t size;
	double scale[8];
};

int kv_gnuplot(const struct kv_plot *plot, enum kv_terminal terminal, struct kv_drawn *drawn,
	       struct kv_error *error);

#endif /* KV_PLOT_H */
