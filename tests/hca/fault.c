// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults on demand. The control socket takes one command a line and answers
 * "ok" or "error: ..."; what touches objects is handed to the engine.
 */
#include "fault.h"
#include "qemu/main-loop.h"
#include "hw/qdev-core.h"
#include "qapi/error.h"
#include "hw/hotplug.h"
#include <sys/socket.h>
#include <sys/un.h>

/* How many copies of a packet go out, and how late. */
unsigned int fault_packet(struct hca *hca, int64_t *delay)
{
	struct hca_fault *f = &hca->fault;

	*delay = f->delay_us * 1000LL;
	if (f->drop_next) {
		f->drop_next--;
		return 0;
	}
	/* A damaged packet fails its check sum where it arrives, and is no more seen. */
	if (f->corrupt_next) {
		f->corrupt_next--;
		hca->cnt.bad_pkt++;
		return 0;
	}
	if ((f->drop && !(hca->cnt.tx_packets % f->drop)) ||
	    (f->corrupt && !(hca->cnt.tx_packets % f->corrupt)))
		return 0;
	if (f->dup_next) {
		f->dup_next--;
		return 2;
	}
	return f->dup && !(hca->cnt.tx_packets % f->dup) ? 2 : 1;
}

/* The status a command is to fail with, 0 for none. */
uint8_t fault_command(struct hca *hca, uint16_t opcode)
{
	struct hca_fault *f = &hca->fault;

	if (!f->fail_cmd_next || (f->fail_opcode && f->fail_opcode != opcode))
		return 0;
	f->fail_cmd_next--;
	return f->fail_status;
}

/* In the engine: the words of a line that was found good. */
void fault_apply(struct hca *hca, const char *line)
{
	if (!strcmp(line, "link down")) {
		hca->link_up = false;
		event_port(hca, PORT_SUB_DOWN);
	} else if (!strcmp(line, "link up")) {
		hca->link_up = true;
		event_port(hca, PORT_SUB_ACTIVE);
	} else if (!strcmp(line, "fatal")) {
		hca_fatal(hca, 0x1);
	} else {
		return;
	}
	hca_trace(hca, "fault: %s", line);
}

static const char *command(struct hca *hca, char *line, char *out, size_t size)
{
	struct hca_fault *f = &hca->fault;
	unsigned int a = 0, b = 0, c = 0;
	char word[16] = "";
	struct hca_msg m = { .what = MSG_FAULT };

	if (sscanf(line, "drop every %u", &a) == 1)
		f->drop = a;
	else if (sscanf(line, "duplicate every %u", &a) == 1)
		f->dup = a;
	else if (sscanf(line, "corrupt every %u", &a) == 1)
		f->corrupt = a;
	else if (sscanf(line, "drop %u", &a) == 1)
		f->drop_next = a;
	else if (sscanf(line, "duplicate %u", &a) == 1)
		f->dup_next = a;
	else if (sscanf(line, "corrupt %u", &a) == 1)
		f->corrupt_next = a;
	else if (sscanf(line, "delay %u", &a) == 1)
		f->delay_us = a;
	else if (sscanf(line, "fail-command %u %x %x", &a, &b, &c) >= 1) {
		f->fail_status = b ? b : 0x1;
		f->fail_opcode = c;
		f->fail_cmd_next = a;
	} else if (sscanf(line, "link %15s", word) == 1 &&
		   (!strcmp(word, "up") || !strcmp(word, "down"))) {
		snprintf((char *)m.bf, sizeof(m.bf), "link %s", word);
		hca_post(hca, &m);
	} else if (!strcmp(line, "fatal")) {
		strcpy((char *)m.bf, "fatal");
		hca_post(hca, &m);
	} else if (!strcmp(line, "remove")) {
		DeviceState *dev = DEVICE(hca->pci);

		/* Surprise: all reads give ones before its driver is asked to let go. */
		hca->gone = hca->dead = true;
		qemu_mutex_lock_iothread();
		qdev_unplug(dev, NULL);
		qemu_mutex_unlock_iothread();
	} else if (!strcmp(line, "counters")) {
		const struct hca_counters *n = &hca->cnt;

		snprintf(out, size,
			 "tx_packets=%" PRIu64 " rx_packets=%" PRIu64 " tx_bytes=%" PRIu64
			 " rx_bytes=%" PRIu64 " out_of_buffer=%" PRIu64 " out_of_sequence=%" PRIu64
			 " duplicates=%" PRIu64 " rnr_sent=%" PRIu64 " timeouts=%" PRIu64
			 " retry_exceeded=%" PRIu64 " bad_pkt=%" PRIu64 " cq_overruns=%" PRIu64
			 "\n",
			 n->tx_packets, n->rx_packets, n->tx_bytes, n->rx_bytes, n->out_of_buffer,
			 n->out_of_sequence, n->duplicates, n->rnr_sent, n->timeouts,
			 n->retry_exceeded, n->bad_pkt, n->cq_overruns);
		return out;
	} else if (!strcmp(line, "stamps")) {
		snprintf(out, size, "doorbell=%" PRId64 " cqe=%" PRId64 " irq=%" PRId64 "\n",
			 hca->stamp_doorbell, hca->stamp_cqe, hca->stamp_irq);
		return out;
	} else if (!strcmp(line, "objects")) {
		objects_print(hca, false, out, size);
		return out;
	} else if (!strcmp(line, "left")) {
		objects_print(hca, true, out, size);
		return out;
	} else if (!strcmp(line, "clear")) {
		memset(f, 0, sizeof(*f));
	} else {
		return "error: unknown fault: use drop|duplicate|corrupt [every] N, delay US, "
		       "fail-command N [STATUS [OPCODE]], link up|down, fatal, remove, counters, "
		       "stamps, objects, left, clear\n";
	}
	return "ok\n";
}

static void *control_thread(void *opaque)
{
	struct hca *hca = opaque;
	int fd;

	while ((fd = accept(hca->control_fd, NULL, NULL)) >= 0) {
		FILE *in = fdopen(fd, "r");
		char line[256], out[512];

		qatomic_set(&hca->control_conn, fd);
		while (in && fgets(line, sizeof(line), in)) {
			const char *reply;

			line[strcspn(line, "\r\n")] = 0;
			reply = command(hca, line, out, sizeof(out));
			if (send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
				break;
		}
		qatomic_set(&hca->control_conn, -1);
		if (in)
			fclose(in);
		else
			close(fd);
	}
	return NULL;
}

bool fault_open(struct hca *hca, char **error)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(hca->control) >= sizeof(a.sun_path)) {
		*error = g_strdup_printf(
			"control socket '%s' is longer than %zu characters: use a shorter path",
			hca->control, sizeof(a.sun_path) - 1);
		return false;
	}
	strcpy(a.sun_path, hca->control);
	hca->control_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(hca->control);
	if (bind(hca->control_fd, (struct sockaddr *)&a, sizeof(a)) || listen(hca->control_fd, 4)) {
		*error = g_strdup_printf("control socket '%s': %s", hca->control, strerror(errno));
		close(hca->control_fd);
		return false;
	}
	hca->control_conn = -1;
	qemu_thread_create(&hca->control_thread, "hca-control", control_thread, hca,
			   QEMU_THREAD_JOINABLE);
	return true;
}

void fault_close(struct hca *hca)
{
	if (!hca->control)
		return;
	shutdown(hca->control_fd, SHUT_RDWR);
	if (qatomic_read(&hca->control_conn) >= 0)
		shutdown(hca->control_conn, SHUT_RDWR);
	/* It may be waiting for the big lock, to unplug what is being unplugged. */
	qemu_mutex_unlock_iothread();
	qemu_thread_join(&hca->control_thread);
	qemu_mutex_lock_iothread();
	close(hca->control_fd);
	unlink(hca->control);
}
