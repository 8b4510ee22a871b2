// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <math.h>
#include <string.h>
#include "kverbs.h"
#include "reader.h"
#include "unit.h"

/* samples of a histogram; those of all lanes together still fit 64 bits */
#define COUNT_MAX	(1ULL << 50)

/* what is wrong with a member; always -1 */
int kv_read_refuse(const struct kv_reader *reader, const char *key, const char *what)
{
	return kv_error_set(reader->error, KV_EXIT_USAGE, "%s: %s%s%s %s", reader->file,
			    reader->where, *reader->where ? "." : "", key, what);
}

static json_t *member(const struct kv_reader *reader, const char *key)
{
	return json_object_get(reader->object, key);
}

/**
 * kv_read_object - a member that is an object
 * @from: reader of the object it is in
 * @key: of the member
 * @to: reader of the member
 * Return: 0, or -1
 */
int kv_read_object(const struct kv_reader *from, const char *key, struct kv_reader *to)
{
	json_t *object = member(from, key);

	if (!json_is_object(object))
		return kv_read_refuse(from, key, object ? "is no object" : "is missing");
	to->file = from->file;
	to->error = from->error;
	to->object = object;
	snprintf(to->where, sizeof(to->where), "%.60s%s%.32s", from->where,
		 *from->where ? "." : "", key);
	return 0;
}

int kv_read_array(const struct kv_reader *reader, const char *key, size_t most, json_t **array)
{
	*array = member(reader, key);
	if (!json_is_array(*array))
		return kv_read_refuse(reader, key, *array ? "is no array" : "is missing");
	if (json_array_size(*array) > most)
		return kv_read_refuse(reader, key, "has more entries than a document can have");
	return 0;
}

/* an entry of an array that is an object */
int kv_read_item(const struct kv_reader *from, const char *key, size_t i, json_t *item,
		 struct kv_reader *to)
{
	to->file = from->file;
	to->error = from->error;
	to->object = item;
	snprintf(to->where, sizeof(to->where), "%.40s%s%.20s[%zu]", from->where,
		 *from->where ? "." : "", key, i);
	return json_is_object(item) ? 0 : kv_read_refuse(to, "", "is no object");
}

int kv_read_text(const struct kv_reader *reader, const char *key, const char **text)
{
	json_t *json = member(reader, key);

	if (!json_is_string(json))
		return kv_read_refuse(reader, key, json ? "is no string" : "is missing");
	*text = json_string_value(json);
	return 0;
}

int kv_read_count(const struct kv_reader *reader, const char *key, u64 *count)
{
	json_t *json = member(reader, key);

	if (!json_is_integer(json))
		return kv_read_refuse(reader, key, json ? "is no whole number" : "is missing");
	if (json_integer_value(json) < 0)
		return kv_read_refuse(reader, key, "is negative");
	*count = (u64)json_integer_value(json);
	return 0;
}

/* a figure; null is NaN: not known */
int kv_read_real(const struct kv_reader *reader, const char *key, double *value)
{
	json_t *json = member(reader, key);

	*value = NAN;
	if (json_is_null(json))
		return 0;
	if (!json_is_number(json))
		return kv_read_refuse(reader, key, json ? "is no number" : "is missing");
	*value = json_number_value(json);
	return 0;
}

int kv_read_bool(const struct kv_reader *reader, const char *key, bool *value)
{
	json_t *json = member(reader, key);

	if (!json_is_boolean(json))
		return kv_read_refuse(reader, key, json ? "is neither true nor false" :
							  "is missing");
	*value = json_is_true(json);
	return 0;
}

/* the bucket whose lower bound is shown as so much; KV_HIST_BUCKETS: beyond the last */
static u32 bucket_of(const struct kv_clock_info *clock, u64 low)
{
	unsigned __int128 ticks = (unsigned __int128)low << clock->shift;
	u32 bucket;

	if (!clock->mult)
		return KV_HIST_BUCKETS;
	ticks = (ticks + clock->mult - 1) / clock->mult;
	if (ticks >> KV_HIST_VALUE_BITS)
		return KV_HIST_BUCKETS;
	bucket = kv_hist_index((u64)ticks);
	/* several ticks are shown as one ns: the first of them may be of the one before */
	if (bucket + 1 < KV_HIST_BUCKETS &&
	    kv_clock_ns(kv_hist_low(bucket), clock->mult, clock->shift) < low &&
	    kv_clock_ns(kv_hist_low(bucket + 1), clock->mult, clock->shift) == low)
		bucket++;
	return bucket;
}

static int read_bucket(const struct kv_reader *reader, const char *key, json_t *bucket,
		       const struct kv_clock_info *clock, struct kv_sparse *sparse)
{
	json_t *low = json_array_get(bucket, 0), *count = json_array_get(bucket, 1);
	u64 from, to, n;
	u32 at;

	if (json_array_size(bucket) != 2 || !json_is_integer(low) || !json_is_integer(count) ||
	    json_integer_value(low) < 0 || json_integer_value(count) <= 0)
		return kv_read_refuse(reader, key, "has a bucket that is not [LOW, COUNT]");
	from = (u64)json_integer_value(low);
	n = (u64)json_integer_value(count);
	at = bucket_of(clock, from);
	if (at == KV_HIST_BUCKETS)
		return kv_read_refuse(reader, key, "has a bucket beyond the last that there is");
	if (sparse->n && from < sparse->bucket[sparse->n - 1].low)
		return kv_read_refuse(reader, key, "has buckets that are not in order");
	if (n > COUNT_MAX || sparse->count + n > COUNT_MAX)
		return kv_read_refuse(reader, key, "has counts that overflow");
	sparse->count += n;
	to = kv_clock_ns(kv_hist_high(at), clock->mult, clock->shift);
	if (kv_sparse_add(sparse, from, to > from ? to : from, n))
		return kv_error_set(reader->error, KV_EXIT_ENVIRONMENT, "out of memory");
	return 0;
}

static int read_buckets(const struct kv_reader *reader, const struct kv_clock_info *clock,
			struct kv_sparse *sparse)
{
	char key[KV_UNIT_KEY];
	json_t *buckets;
	size_t i;

	kv_unit_key("buckets_low", clock->unit, key);
	if (kv_read_array(reader, key, KV_HIST_BUCKETS, &buckets))
		return -1;
	for (i = 0; i < json_array_size(buckets); i++) {
		if (read_bucket(reader, key, json_array_get(buckets, i), clock, sparse))
			return -1;
	}
	return 0;
}

/**
 * kv_read_hist - a histogram
 * @reader: of its object
 * @clock: of its ticks
 * @sparse: empty; filled, and to be cleared also when it is wrong
 * Return: 0, or -1
 */
int kv_read_hist(const struct kv_reader *reader, const struct kv_clock_info *clock,
		 struct kv_sparse *sparse)
{
	char key[KV_UNIT_KEY];
	u64 count;

	if (read_buckets(reader, clock, sparse) || kv_read_count(reader, "count", &count) ||
	    kv_read_count(reader, "over", &sparse->over) ||
	    kv_read_count(reader, kv_unit_key("sum", clock->unit, key), &sparse->sum) ||
	    kv_read_count(reader, kv_unit_key("min", clock->unit, key), &sparse->min) ||
	    kv_read_count(reader, kv_unit_key("max", clock->unit, key), &sparse->max))
		return -1;
	if (sparse->over > COUNT_MAX || sparse->count + sparse->over != count)
		return kv_read_refuse(reader, "count", "is not what the buckets hold");
	sparse->count = count;
	if (sparse->min > sparse->max)
		return kv_read_refuse(reader, "min", "is above the largest");
	return 0;
}
