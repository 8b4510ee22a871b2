/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A virtual ConnectX. The model in one paragraph:
 *
 * pci.c takes register writes from the guest and puts them, as messages, into
 * a ring. One engine per device (a thread, or under instruction counting a
 * timer on guest time) drains the ring: cmd.c executes commands, wqe.c turns
 * send queues into requests, transport.c turns requests into packets and
 * packets into memory accesses and answers, completion.c writes CQEs and EQEs
 * and raises interrupts, fabric.c carries packets from port to port. object.c
 * holds the tables. Only the engine touches objects, so they need no lock.
 *
 * Everything that comes from the guest is hostile: every index is looked up,
 * every length bounded, and every walk ends.
 */
#ifndef HCA_H
#define HCA_H

#include "ifc.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qemu/queue.h"
#include "hw/pci/pci.h"

struct hca;

enum {
	HCA_BAR_SIZE	= 16 << 20,
	HCA_PAGE	= 4096,
	HCA_FIRST_UAR	= 16,		/* the init segment has the pages below */
	HCA_NUM_UARS	= HCA_BAR_SIZE / HCA_PAGE,
	HCA_NUM_VECTORS	= 32,

	HCA_LOG_MAX_QP	= 14,
	HCA_LOG_MAX_CQ	= 14,
	HCA_LOG_MAX_SRQ	= 12,
	HCA_LOG_MAX_MKEY = 17,
	HCA_LOG_MAX_PD	= 14,
	HCA_LOG_MAX_EQ	= 6,
	HCA_LOG_MAX_WQ	= 15,		/* WQEBBs of a send queue, WQEs of a receive queue */
	HCA_LOG_MAX_CQE	= 18,
	HCA_LOG_MAX_RD	= 4,		/* READs and atomics outstanding a QP */
	HCA_MAX_SQ_WQE	= 1024,
	HCA_MAX_RQ_WQE	= 512,
	HCA_MAX_SGE	= 64,
	HCA_LOG_MAX_MSG	= 30,
	HCA_MAX_MTU	= 4096,
	HCA_MAX_FRAME	= 9216,
	HCA_MAX_MSG_BYTES = 64 << 20,	/* of one command */
	HCA_MAX_XLT	= 64 << 20,	/* translation entries of all MKEYs together */
	HCA_GIDS	= 16,
	HCA_KINDS	= 12,		/* of objects */
	HCA_BOOT_PAGES	= 32,
	HCA_INIT_PAGES	= 300,
	HCA_MAX_PAGES	= 4096,
	HCA_RING	= 1 << 14,
	HCA_FIRST_ETHQ	= 1 << 20,	/* numbers no queue pair has */
	HCA_ANY_PD	= 1 << 24,	/* beyond what a context can name */
};

/* ---- pieces of guest memory that hold queues ------------------------------ */

struct hca_buf {
	uint64_t *pas;
	uint32_t npas;
	uint8_t page_shift;
	uint32_t offset;
	uint64_t size;
};

bool buf_init(struct hca_buf *b, const uint8_t *pas, size_t pas_bytes,
	      unsigned int page_shift, uint32_t offset, uint64_t size);
void buf_free(struct hca_buf *b);
bool buf_rw(struct hca *hca, const struct hca_buf *b, uint64_t off, void *p, size_t len,
	    bool write);

/* ---- tables ---------------------------------------------------------------- */

struct hca_table {
	uint32_t first, max, hint, used;
	void **slot;
};

int64_t table_add(struct hca_table *t, void *obj);
void *table_get(struct hca_table *t, uint32_t id);
void *table_del(struct hca_table *t, uint32_t id);

/* ---- objects ----------------------------------------------------------------- */

enum { MKEY_PA = 0, MKEY_MTT = 1, MKEY_KLM = 2, MKEY_KSM = 3 };

enum {
	ACC_LOCAL_READ	= 1,
	ACC_LOCAL_WRITE	= 2,
	ACC_REMOTE_READ	= 4,
	ACC_REMOTE_WRITE = 8,
	ACC_ATOMIC	= 16,
};

struct hca_mkey {
	uint32_t index;
	uint8_t ctx[64];		/* as the guest wrote it (mkc) */
	uint32_t qpn, pd;
	uint8_t key, mode, access, page_shift;
	bool free, umr_en, length64, en_rinval;
	uint64_t start, len;
	uint8_t *xlt;			/* MTTs of 8 bytes or KLMs of 16, as the guest wrote them */
	uint32_t xlt_octowords;
};

struct hca_eq {
	uint32_t eqn, uar, vector, pi, ci;
	uint8_t log_size;
	bool armed;
	uint64_t mask[4];
	uint8_t ctx[64];
	struct hca_buf buf;
};

struct hca_timer {
	int64_t when;			/* 0: not armed */
	void (*fn)(struct hca *hca, void *opaque);
	void *opaque;
	QTAILQ_ENTRY(hca_timer) link;
};

enum { CQ_UNARMED, CQ_ARMED_NEXT, CQ_ARMED_SOLICITED };

struct hca_cq {
	uint32_t cqn, uar, eqn, pi;
	uint8_t log_size, stride;	/* stride: 64 or 128 */
	bool oi, error, scqe_break;
	uint16_t period, max_count;
	uint8_t armed;
	uint32_t arm_ci, last_solicited, unreported;
	uint64_t dbr;
	uint8_t ctx[64];
	uint8_t head[64];		/* first half of the next CQE of 128 bytes */
	struct hca_buf buf;
	struct hca_timer moderation;
	unsigned int refs;
};

struct hca_srq {
	uint32_t srqn, pd, cqn, xrcd, user_index;
	bool is_rmp, linked;
	uint8_t log_size, log_stride;	/* stride in bytes, log */
	uint16_t next, taken, lwm;	/* next WQE, WQEs taken so far */
	uint64_t dbr;
	bool error;
	uint8_t ctx[256];
	struct hca_buf buf;
	unsigned int refs;
};

enum hca_qp_type {
	QPT_RC = 0, QPT_UC = 1, QPT_UD = 2, QPT_XRC = 3, QPT_QP0 = 7, QPT_QP1 = 8,
	QPT_RAW = 9, QPT_REG_UMR = 12,
};

enum hca_qp_state {
	QPS_RST = 0, QPS_INIT = 1, QPS_RTR = 2, QPS_RTS = 3, QPS_SQER = 4, QPS_SQD = 5, QPS_ERR = 6,
};

/* A scatter or gather list as a WQE gives it. */
struct hca_sge {
	uint64_t addr;			/* an offset in the WQE if inlined */
	uint32_t lkey, len;
	bool inlined;
};

struct hca_sgl {
	unsigned int n;
	uint64_t len;
	struct hca_sge sge[HCA_MAX_SGE];
};

/* One send WQE, parsed. */
struct hca_wqe {
	uint16_t index;
	uint8_t opcode, opmod, ds, fm_ce_se;
	uint32_t imm;
	bool bad;			/* cannot be executed: syndrome says why */
	uint8_t syndrome, vendor;
	uint64_t raddr;
	uint32_t rkey;
	uint64_t swap_add, compare;
	uint8_t av[48];
	bool has_av;
	uint32_t srqn;			/* XRC */
	struct hca_sgl sgl;
	uint8_t raw[HCA_MAX_SQ_WQE];
};

/* A request: a WQE that has been taken from the send queue and is not yet retired. */
struct hca_req {
	uint16_t index;			/* its first WQEBB */
	uint8_t opcode, nbb;
	bool signaled, solicited, done, sent;
	uint8_t syndrome, vendor;	/* set: completes in error */
	uint32_t psn, npkt, got;
	uint32_t len;
	uint8_t inlined;		/* so many bytes of answer go into the CQE */
	uint8_t data[64];
};

/* What a responder owes its requester, in order. */
struct hca_owed {
	enum { OWE_ACK, OWE_READ, OWE_ATOMIC } what;
	uint32_t psn, pd, rkey, len, sent;
	uint64_t va, result;
};

enum { HCA_OWED = 64, HCA_ATOMICS = 1 << HCA_LOG_MAX_RD };

/* The receive WQE a message is being scattered to. */
struct hca_recv {
	bool active;
	uint16_t index;
	uint32_t srqn, pd, cqn, user_index;
	struct hca_sgl sgl;
	uint64_t filled;
};

struct hca_qp {
	uint32_t qpn, pd, uar, user_index;
	uint8_t type, state;
	uint8_t ctx[IFC_BYTES(qpc)];	/* as the guest sees it by QUERY_QP */
	uint32_t cq_snd, cq_rcv, srqn, xrcd;
	uint8_t scatter_req, scatter_res; /* bytes of answer, of message, that a CQE may hold */
	uint8_t rq_type;
	bool no_sq;
	uint64_t dbr;
	struct hca_buf buf;

	/* receive queue */
	uint8_t log_rq, log_rq_stride;
	uint16_t rq_ci;

	/* path and transport attributes */
	uint32_t mtu, remote_qpn, qkey;
	uint16_t dlid;
	uint8_t dmac[6], dgid[16], sl, tclass, hop_limit;
	bool grh;
	uint8_t sgid_index;
	uint8_t ack_timeout, retry_cnt, rnr_retry, min_rnr;
	uint8_t max_rd_atomic, max_dest_rd;
	bool rre, rwe, rae;

	/* requester */
	uint32_t sq_offset;		/* of the send queue in buf */
	uint8_t log_sq;
	uint16_t sq_ci, sq_prod;	/* next WQEBB to take; end of what was rung */
	struct hca_req *req;		/* ring of 1 << log_sq */
	uint32_t req_head, req_tail;	/* oldest not retired, next free */
	uint32_t snd;			/* request being sent */
	uint32_t snd_pkt;		/* and its next packet */
	uint32_t psn;			/* PSN of the next new request */
	uint32_t una;			/* oldest PSN not acknowledged */
	uint32_t rd_out;		/* READs and atomics on the wire */
	uint8_t retries, rnr_retries;
	bool rnr_wait;
	struct hca_timer timer;
	struct hca_wqe *wqe;		/* the parsed WQE of request wqe_of */
	uint32_t wqe_of;
	bool wqe_valid;
	bool sqd_reported, last_wqe_reported;

	/* responder */
	uint32_t epsn, msn;
	uint8_t rx_state;		/* what a MIDDLE or LAST may belong to */
	bool nak_sent;
	struct hca_recv rx;
	uint32_t w_rkey;
	uint64_t w_va, w_left;
	struct hca_owed owed[HCA_OWED];
	uint32_t owed_head, owed_tail;
	struct { uint32_t psn; uint64_t result; bool valid; } atomics[HCA_ATOMICS];
	unsigned int atomic_next;
	bool comm_est;

	bool queued;
	QTAILQ_ENTRY(hca_qp) run;
	struct hca_timer err_poll;
};

/* Send opcodes, from the driver's side of the interface. */
enum {
	OP_NOP = 0x00, OP_SEND_INVAL = 0x01, OP_WRITE = 0x08, OP_WRITE_IMM = 0x09, OP_SEND = 0x0a,
	OP_SEND_IMM = 0x0b, OP_LSO = 0x0e, OP_READ = 0x10, OP_ATOMIC_CS = 0x11, OP_ATOMIC_FA = 0x12,
	OP_UMR = 0x25,

	FENCE_FENCE = 2, FENCE_STRONG = 3, FENCE_SMALL_AND_FENCE = 4,
};

/* A send or receive queue of Ethernet frames. */
struct hca_ethq {
	uint32_t number, pd, uar, cqn;
	uint8_t state, log_size, log_stride;
	uint8_t ctx[48];		/* what is before the work queue, as the guest wrote it */
	uint16_t ci;
	uint64_t dbr;
	struct hca_buf buf;
};

/* ---- packets ------------------------------------------------------------------ */

enum {
	PKT_SEND_FIRST = 0x00,
	PKT_SEND_MIDDLE = 0x01,
	PKT_SEND_LAST = 0x02,
	PKT_SEND_LAST_IMM = 0x03,
	PKT_SEND_ONLY = 0x04,
	PKT_SEND_ONLY_IMM = 0x05,
	PKT_WRITE_FIRST = 0x06,
	PKT_WRITE_MIDDLE = 0x07,
	PKT_WRITE_LAST = 0x08,
	PKT_WRITE_LAST_IMM = 0x09,
	PKT_WRITE_ONLY = 0x0a,
	PKT_WRITE_ONLY_IMM = 0x0b,
	PKT_READ_REQ = 0x0c,
	PKT_READ_FIRST = 0x0d,
	PKT_READ_MIDDLE = 0x0e,
	PKT_READ_LAST = 0x0f,
	PKT_READ_ONLY = 0x10,
	PKT_ACK = 0x11,
	PKT_ATOMIC_ACK = 0x12,
	PKT_CMP_SWAP = 0x13,
	PKT_FETCH_ADD = 0x14,
	PKT_SEND_LAST_INV = 0x16,
	PKT_SEND_ONLY_INV = 0x17,
	PKT_ETH = 0xff,

	PKT_F_SOLICITED = 1,
	PKT_F_ACKREQ = 2,
	PKT_F_GRH = 4,
	PKT_F_MCAST = 8,
};

struct hca_pkt {
	uint32_t len;			/* of the payload */
	uint8_t op, type, flags, aeth;	/* type: enum hca_qp_type of the sender */
	uint32_t dqpn, sqpn, psn, qkey, imm, rkey, dmalen, msn, srqn;
	uint64_t va, swap_add, compare;
	uint16_t slid, dlid, pkey;
	uint8_t sl, tclass, hop_limit, roce; /* roce: 0 IB, 1 v1, 2 v2 over IPv6, 3 v2 over IPv4 */
	uint8_t smac[6], dmac[6], sgid[16], dgid[16];
	uint8_t data[];
};

enum { AETH_ACK = 0x00, AETH_RNR = 0x20, AETH_NAK = 0x60 };
enum { NAK_PSN = 0, NAK_INVALID = 1, NAK_ACCESS = 2, NAK_OP = 3 };

/* ---- completion ------------------------------------------------------------------ */

enum {
	CQE_REQ = 0, CQE_RESP_WR_IMM = 1, CQE_RESP_SEND = 2, CQE_RESP_SEND_IMM = 3,
	CQE_RESP_SEND_INV = 4, CQE_RESIZE = 5, CQE_REQ_ERR = 13, CQE_RESP_ERR = 14,
};

enum {
	SYND_LOCAL_LENGTH = 0x01, SYND_LOCAL_QP_OP = 0x02, SYND_LOCAL_PROT = 0x04,
	SYND_FLUSH = 0x05, SYND_MW_BIND = 0x06, SYND_BAD_RESP = 0x10, SYND_LOCAL_ACCESS = 0x11,
	SYND_REMOTE_INVAL_REQ = 0x12, SYND_REMOTE_ACCESS = 0x13, SYND_REMOTE_OP = 0x14,
	SYND_RETRY_EXC = 0x15, SYND_RNR_EXC = 0x16, SYND_REMOTE_ABORTED = 0x22,
};

enum {
	EVENT_COMP = 0x00,
	EVENT_COMM_EST = 0x02,
	EVENT_SQ_DRAINED = 0x03,
	EVENT_CQ_ERROR = 0x04,
	EVENT_WQ_CATAS = 0x05,
	EVENT_PORT_CHANGE = 0x09,
	EVENT_CMD = 0x0a,
	EVENT_WQ_INVAL = 0x10,
	EVENT_WQ_ACCESS = 0x11,
	EVENT_SRQ_CATAS = 0x12,
	EVENT_SRQ_LAST = 0x13,
	EVENT_SRQ_LIMIT = 0x14,
};

enum { PORT_SUB_DOWN = 1, PORT_SUB_ACTIVE = 4 };

/* ---- the device -------------------------------------------------------------------- */

struct hca_msg {
	enum { MSG_CMD, MSG_SQ, MSG_BF, MSG_CQ_ARM, MSG_EQ, MSG_EQ_ARM, MSG_RESET, MSG_FAULT } what;
	uint32_t uar, a, b;
	int64_t stamp;
	uint8_t bf[64];			/* the WQE, or the text of a fault */
};

struct hca_fault {
	unsigned int drop, delay_us, dup, corrupt;	/* one in so many packets; 0: none */
	unsigned int drop_next, dup_next, corrupt_next, delay_next;
	unsigned int fail_cmd_next;
	uint8_t fail_status;
	uint16_t fail_opcode;
};

struct hca_counters {
	uint64_t tx_packets, rx_packets, tx_bytes, rx_bytes, out_of_buffer, out_of_sequence,
		duplicates, rnr_sent, timeouts, retry_exceeded, bad_pkt, qkey_violations,
		cq_overruns, resp_access, req_access;
};

/* What a driver had not given back when it disabled the device, all times together. */
struct hca_left {
	uint32_t times, pages, objects[HCA_KINDS];
};

struct hca {
	PCIDevice *pci;
	bool roce, icount, bf_on;
	uint32_t delay_ns;
	unsigned int number;		/* of this device in this fabric */
	uint16_t lid;
	uint64_t guid;
	uint8_t mac[6];
	bool link_up, dead, gone;	/* dead: fatal error, until reset; gone: out of the slot */

	/* registers */
	uint32_t cmdq_h, cmdq_l, nic_state, health;
	uint8_t health_synd;
	struct { uint32_t uar, reg, next; uint8_t w[64]; } bf;
	uint32_t half;			/* first half of an 8-byte doorbell written in two */

	/* guest time of the last doorbell, CQE and interrupt: where an operation's time goes */
	int64_t stamp_doorbell, stamp_cqe, stamp_irq;

	/* messages to the engine */
	QemuMutex lock;
	struct hca_msg *ring;
	uint32_t ring_head, ring_tail;
	bool ring_lost;
	QTAILQ_HEAD(, hca_rx) rx;
	unsigned int rx_count;
	bool awake, stop;
	int event_fd;
	QemuThread thread;
	QEMUTimer *clock_timer;
	bool running;
	int64_t engine_due;

	QTAILQ_HEAD(, hca_timer) timers;
	QTAILQ_HEAD(, hca_qp) run;

	/* objects */
	struct hca_table uars, pds, mkeys, eqs, cqs, qps, srqs, xrcds, tds, misc, esqs, erqs;
	uint64_t pages[HCA_MAX_PAGES];	/* of guest memory, given for the device to use */
	uint32_t npages;
	struct hca_left left;
	uint32_t qp0, qp1;
	uint64_t xlt_used;
	QTAILQ_HEAD(, hca_mcg) mcgs;

	/* capabilities as set by the driver, by type */
	uint8_t *caps[64];
	bool cmd_eq;
	struct { bool valid; uint8_t gid[16]; uint8_t mac[6]; uint8_t version, l3; } gids[HCA_GIDS];
	uint8_t nic_vport[IFC_BYTES(nic_vport_context)];
	uint8_t node_desc[64];

	struct hca_fault fault;
	struct hca_counters cnt;
	char *control, *peer;
	int control_fd, control_conn;
	QemuThread control_thread;
	QTAILQ_ENTRY(hca) link;
};

struct hca_rx {
	QTAILQ_ENTRY(hca_rx) link;
	int64_t due;
	struct hca_pkt pkt;
};

struct hca_mcg {
	QTAILQ_ENTRY(hca_mcg) link;
	uint8_t gid[16];
	uint32_t qpn;
};

/* pci.c */
int64_t hca_now(struct hca *hca);
void hca_post(struct hca *hca, const struct hca_msg *m);
void hca_wake(struct hca *hca);
bool hca_dma(struct hca *hca, uint64_t addr, void *p, size_t len, bool write);
uint32_t hca_ldl(struct hca *hca, uint64_t addr);
void hca_irq(struct hca *hca, uint32_t vector);
void hca_free_objects(struct hca *hca);
void hca_reset_objects(struct hca *hca);
void hca_timer_set(struct hca *hca, struct hca_timer *t, int64_t when);
void hca_timer_del(struct hca *hca, struct hca_timer *t);
void hca_fatal(struct hca *hca, uint8_t synd);
void G_GNUC_PRINTF(2, 3) hca_trace(struct hca *hca, const char *fmt, ...);

/* engine.c */
void engine_init(struct hca *hca);
void engine_start(struct hca *hca);
void engine_stop(struct hca *hca);
void engine_kick(struct hca *hca);

/* cmd.c */
void cmd_doorbell(struct hca *hca, uint32_t slots);

/* caps.c */
bool caps_query(struct hca *hca, unsigned int type, bool max, void *out, size_t len);
bool caps_set(struct hca *hca, unsigned int type, const void *in, size_t len);
void caps_reset(struct hca *hca);

/* object.c */
void mkey_destroy(struct hca *hca, void *obj);
void eq_destroy(struct hca *hca, void *obj);
void cq_destroy(struct hca *hca, void *obj);
void qp_destroy(struct hca *hca, void *obj);
void srq_destroy(struct hca *hca, void *obj);
void objects_left(struct hca *hca);
void objects_print(struct hca *hca, bool left, char *out, size_t size);
void mkey_load(struct hca_mkey *m, const uint8_t *ctx);
bool mkey_resize(struct hca *hca, struct hca_mkey *m, uint32_t octowords);
bool mem_check(struct hca *hca, uint32_t key, uint32_t pd, uint32_t qpn, uint64_t va, uint64_t len,
	       unsigned int access);
bool mem_rw(struct hca *hca, uint32_t key, uint32_t pd, uint32_t qpn, uint64_t va, void *p,
	    size_t len, unsigned int access, bool write);

/* completion.c */
void cq_post(struct hca *hca, struct hca_cq *cq, uint8_t *cqe, uint8_t opcode, bool solicited);
unsigned int cq_inline(struct hca_cq *cq, uint8_t *cqe, const uint8_t *p, unsigned int len);
void cq_arm(struct hca *hca, uint32_t uar, uint32_t word, uint32_t cqn);
void cq_fail(struct hca *hca, struct hca_cq *cq);
bool cq_resize(struct hca *hca, struct hca_cq *cq, struct hca_buf *buf, unsigned int log_size);
void cq_moderation_fired(struct hca *hca, void *opaque);
void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t word, bool arm);
void event_post(struct hca *hca, unsigned int type, unsigned int sub, const uint8_t *data);
void event_qp(struct hca *hca, unsigned int type, uint32_t qpn);
void event_srq(struct hca *hca, unsigned int type, uint32_t srqn);
void event_port(struct hca *hca, unsigned int sub);
void complete_req(struct hca *hca, struct hca_qp *qp, const struct hca_req *r, uint8_t syndrome,
		  uint8_t vendor);
void complete_recv_error(struct hca *hca, struct hca_qp *qp, struct hca_recv *rx, uint8_t syndrome,
			 uint8_t vendor);

/* wqe.c */
void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t word1);
void sq_blueflame(struct hca *hca, uint32_t uar, const uint8_t *wqe);
void qp_schedule(struct hca *hca, struct hca_qp *qp);
void qp_run(struct hca *hca, struct hca_qp *qp);
void qp_flush(struct hca *hca, struct hca_qp *qp);
void qp_error(struct hca *hca, struct hca_qp *qp);
bool qp_wqe(struct hca *hca, struct hca_qp *qp, uint32_t req);
int recv_take(struct hca *hca, struct hca_qp *qp, uint32_t srqn, struct hca_recv *rx);
bool gather(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w, uint64_t off, uint8_t *p,
	    size_t len);
bool scatter(struct hca *hca, struct hca_qp *qp, uint32_t pd, const struct hca_sgl *sgl,
	     uint64_t off, const uint8_t *p, size_t len);
bool sq_take(struct hca *hca, struct hca_qp *qp);
uint8_t umr_execute(struct hca *hca, struct hca_qp *qp, const struct hca_wqe *w);
void qp_fail(struct hca *hca, struct hca_qp *qp);

/* transport.c */
bool transport_send(struct hca *hca, struct hca_qp *qp);
void transport_owed(struct hca *hca, struct hca_qp *qp);
void transport_rx(struct hca *hca, struct hca_pkt *p);
void transport_timeout(struct hca *hca, void *opaque);
void transport_retire(struct hca *hca, struct hca_qp *qp);
uint32_t transport_packets(const struct hca_qp *qp, uint8_t opcode, uint64_t len);
void transport_reset(struct hca *hca, struct hca_qp *qp);

/* ether.c */
int64_t ethq_create(struct hca *hca, bool send, const uint8_t *ctx, size_t len);
void ethq_destroy(struct hca *hca, void *obj);
void ethq_doorbell(struct hca *hca, uint32_t uar, uint32_t number);
void ether_rx(struct hca *hca, struct hca_pkt *p);

/* fabric.c */
void fabric_attach(struct hca *hca);
void fabric_detach(struct hca *hca);
void fabric_send(struct hca *hca, struct hca_qp *qp, struct hca_pkt *p);
void fabric_deliver(struct hca *hca, const struct hca_pkt *p, int64_t delay);
bool fabric_join(const char *path, char **error);

/* fault.c */
void fault_apply(struct hca *hca, const char *line);
bool fault_open(struct hca *hca, char **error);
void fault_close(struct hca *hca);

static inline uint32_t psn_add(uint32_t a, uint32_t b)
{
	return (a + b) & 0xffffff;
}

static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint16_t be16p(const void *p)
{
	return lduw_be_p(p);
}

static inline uint32_t be32p(const void *p)
{
	return ldl_be_p(p);
}

static inline uint64_t be64p(const void *p)
{
	return ldq_be_p(p);
}

#endif
