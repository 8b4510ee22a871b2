// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Are documents of the same jobs? Only like is compared, and what is unlike is named. */
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "kverbs.h"

/* is a field one of those that may differ? */
bool kv_diff_may_differ(const struct kv_diff *diff, const char *field)
{
	size_t len = strlen(field);
	const char *at;

	for (at = diff->across; at && *at; at += strcspn(at, ",")) {
		at += *at == ',';
		if (strcspn(at, ",") == len && !strncmp(at, field, len))
			return true;
	}
	return false;
}

static const char *value_text(const json_t *value, char *text, size_t size)
{
	char *dump = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	snprintf(text, size, "%s", !dump || json_is_null(value) ? "none" : dump);
	free(dump);
	return text;
}

static void name_field(char *unlike, const struct kv_diff *diff, const char *field,
		       const json_t *a, const json_t *b)
{
	char text[2][40];

	if (kv_diff_may_differ(diff, field))
		return;
	kv_remark_add(unlike, 200, "%s %s, %s", field, value_text(a, text[0], sizeof(text[0])),
		      value_text(b, text[1], sizeof(text[1])));
}

/* op and size are steps in a job, and what people call them here */
static void name_steps(char *unlike, const struct kv_diff *diff, const struct kv_doc_job *a,
		       const struct kv_doc_job *b)
{
	if (strcmp(a->op, b->op) && !kv_diff_may_differ(diff, "op"))
		kv_remark_add(unlike, 200, "op %.30s, %.30s", a->op, b->op);
	if (a->size != b->size && !kv_diff_may_differ(diff, "size"))
		kv_remark_add(unlike, 200, "size %llu, %llu", a->size, b->size);
}

/* a field that one of them has not is of an older or newer kverbs: it was at its default */
static void name_unlike(char *unlike, const struct kv_diff *diff, const struct kv_doc_job *a,
			const struct kv_doc_job *b)
{
	const char *field;
	json_t *value, *other;

	name_steps(unlike, diff, a, b);
	json_object_foreach(a->asked, field, value) {
		other = json_object_get(b->asked, field);
		if (strcmp(field, "steps") && other && !json_equal(value, other))
			name_field(unlike, diff, field, value, other);
	}
}

static bool same_arm(const struct kv_doc_arm *a, const struct kv_doc_arm *b)
{
	return !strcmp(a->job.op, b->job.op) && a->job.size == b->job.size &&
	       !strcmp(a->job.shape, b->job.shape) && !strcmp(a->as, b->as) &&
	       a->untimed == b->untimed;
}

/**
 * kv_doc_arm_nth - how many arms before this one are called as it is
 * @doc: comparison
 * @i: index of the arm
 *
 * Arms of a comparison may differ in other fields than those that they are called by: a post
 * and a post with its data inline. They come in the same order in every comparison.
 * Return: 0 of most
 */
u32 kv_doc_arm_nth(const struct kv_doc *doc, u32 i)
{
	u32 j, nth = 0;

	for (j = 0; j < i; j++)
		nth += same_arm(&doc->arm[i], &doc->arm[j]);
	return nth;
}

static void look_at_arms(char *unlike, const struct kv_diff *diff, const struct kv_doc *a,
			 const struct kv_doc *b)
{
	u32 i, j;

	for (i = 0; i < a->narms; i++) {
		for (j = 0; j < b->narms; j++) {
			if (same_arm(&a->arm[i], &b->arm[j]) &&
			    kv_doc_arm_nth(a, i) == kv_doc_arm_nth(b, j))
				break;
		}
		if (j < b->narms)
			name_unlike(unlike, diff, &a->arm[i].job, &b->arm[j].job);
		else
			kv_remark_add(unlike, 200, "%.16s of %llu bytes, %.16s: only one has it",
				      a->arm[i].job.op, a->arm[i].job.size, a->arm[i].job.shape);
		if (*unlike)
			return;
	}
}

static void look_at_points(char *unlike, const struct kv_diff *diff, const struct kv_doc *a,
			   const struct kv_doc *b)
{
	u32 i;

	if (a->npoints != b->npoints)
		kv_remark_add(unlike, 200, "points %u, %u", a->npoints, b->npoints);
	for (i = 0; !*unlike && i < a->npoints; i++) {
		const struct kv_doc_point *p = &a->point[i], *q = &b->point[i];

		if (p->values && q->values && !json_equal(p->values, q->values))
			name_field(unlike, diff, "values", p->values, q->values);
		if (!p->measured || !q->measured)
			continue;
		name_unlike(unlike, diff, &p->run.job, &q->run.job);
		if (strcmp(p->run.engine, q->run.engine) && !kv_diff_may_differ(diff, "engine"))
			kv_remark_add(unlike, 200, "engine %.10s, %.10s", p->run.engine,
				      q->run.engine);
	}
}

/* the load that was there meanwhile */
static bool same_beside(const struct kv_doc *a, const struct kv_doc *b)
{
	return a->with ? b->with && json_equal(a->with, b->with) : !b->with;
}

static int look_at(const struct kv_diff *diff, const struct kv_doc *a, const struct kv_doc *b,
		   struct kv_error *error)
{
	char unlike[200] = "";

	if (a->kind != b->kind)
		strcpy(unlike, "one is a run, a series or a comparison, the other is not");
	else if (a->unit != b->unit)
		strcpy(unlike, "clock-unit ns, insn");
	else if (!same_beside(a, b) && !kv_diff_may_differ(diff, "with"))
		strcpy(unlike, "the job beside it, --with");
	else if (a->kind == KV_DOC_COMPARE)
		look_at_arms(unlike, diff, a, b);
	else
		look_at_points(unlike, diff, a, b);
	if (!*unlike)
		return 0;
	return kv_error_set(error, KV_EXIT_USAGE, "%.50s and %.50s are not alike: %.150s",
			    a->name, b->name, unlike);
}

/**
 * kv_diff_like - are all documents of a diff of the same jobs?
 * @diff: with its documents
 * @error: filled when not: names what is unlike
 * Return: 0, or -1
 */
int kv_diff_like(const struct kv_diff *diff, struct kv_error *error)
{
	u32 side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; i < diff->ndocs[side]; i++) {
			if (look_at(diff, diff->doc[0][0], diff->doc[side][i], error))
				return -1;
		}
	}
	return 0;
}
