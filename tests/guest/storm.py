#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A client of the netlink family that does what no good client does.

Used by the storm tests: messages of every wrong kind, and commands of one socket in any
order from several threads. storm.py STORM [SECONDS [SEED]]; says what it did, status 0
when the module did what it had to.
"""
import ctypes
import errno
import glob
import os
import random
import socket
import struct
import sys
import threading
import time

REQUEST, ACK, ROOT, DUMP = 1, 4, 0x100, 0x300
CAP_ACK, EXT_ACK = 10, 11
SOL_NETLINK = 270
NESTED = 0x8000

INFO_GET, DEV_GET, RUN_NEW, CONNECT, START, STOP, RUN_GET, DEL, NTF, LANE_GET, HIST_GET = range(1, 12)
DEV_NAME, RUN_ID, JOB = 1, 2, 3
A_RUN = 6
PORT, GID_INDEX, SHAPE, ITERATIONS, DURATION, OUTSTANDING, CHAIN, SIGNAL, MTU, TIMING, \
    CLOCK, WAIT, WARMUP, LOCAL_KEY, POLL_BATCH, RECV_DEPTH, PAIRS, NODE, DEADLINE, CPU, STEP = range(1, 22)
OP, SIZE = 1, 2
WRITE, READ, SEND = range(3)
LAT, PINGPONG, RATE = range(3)
NEW, READY, RUNNING, DONE, FAILED = range(5)

# the software device, else the first
DEVICE = min(os.listdir("/sys/class/infiniband"), key=lambda name: (name != "rxe0", name),
             default="rxe0")


def attr(kind, data):
    if isinstance(data, int):
        data = struct.pack("=I", data)
    elif isinstance(data, str):
        data = data.encode() + b"\0"
    return struct.pack("=HH", len(data) + 4, kind) + data + b"\0" * (-len(data) % 4)


def u64(value):
    return struct.pack("=Q", value)


def nest(kind, *inner):
    return attr(kind | NESTED, b"".join(inner))


def job(op=WRITE, size=64, shape=LAT, **fields):
    out = [attr(SHAPE, shape), nest(STEP, attr(OP, op), attr(SIZE, size))]
    for name, value in fields.items():
        kind = globals()[name.upper()]
        if kind == CPU:
            out += [attr(CPU, one) for one in value]
        else:
            out.append(attr(kind, u64(value) if kind == ITERATIONS else value))
    return nest(JOB, *out)


def attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4:
            break
        found.setdefault(kind & 0x3fff, data[4:length])
        data = data[(length + 3) & ~3:]
    return found


class Refused(Exception):
    def __init__(self, code, text):
        super().__init__(f"{errno.errorcode.get(code, code)}: {text}")
        self.code, self.text = code, text


class Socket:
    def __init__(self):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.bind((0, 0))
        self.sock.setsockopt(SOL_NETLINK, EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, CAP_ACK, 1)
        self.sock.settimeout(30)
        self.sequence = 1
        reply = self.ask(3, attr(2, "kverbs"), family=16)
        self.family = struct.unpack("=H", attributes(reply[0][4:])[1])[0]

    def send(self, command, body=b"", flags=REQUEST | ACK, family=None, version=1):
        self.sequence += 1
        data = struct.pack("=BBH", command, version, 0) + body
        head = struct.pack("=IHHII", len(data) + 16, family or self.family, flags,
                           self.sequence, 0)
        self.sock.send(head + data)
        return self.sequence

    def ask(self, command, body=b"", flags=REQUEST | ACK, family=None):
        """The replies to a command; Refused. Notifications are dropped."""
        sequence = self.send(command, body, flags, family)
        replies = []
        while True:
            data = self.sock.recv(1 << 16)
            while len(data) >= 16:
                length, kind, how, seq, _ = struct.unpack_from("=IHHII", data)
                message, data = data[16:length], data[(length + 3) & ~3:]
                if seq != sequence:
                    continue
                if kind in (2, 3):
                    code = -struct.unpack_from("=i", message)[0] if message else 0
                    if code:
                        skip = 20 if kind == 2 else 4
                        text = attributes(message[skip:]).get(1, b"").rstrip(b"\0")
                        raise Refused(code, text.decode(errors="replace"))
                    return replies
                replies.append(message)

    def new(self, body=None, device=DEVICE):
        reply = self.ask(RUN_NEW, attr(DEV_NAME, device) + (body or job(iterations=100)))
        return struct.unpack("=I", attributes(attributes(reply[0][4:])[A_RUN])[1])[0]

    def do(self, command, run, flags=REQUEST | ACK):
        return self.ask(command, attr(RUN_ID, run), flags)

    def state(self, run):
        inner = attributes(attributes(self.do(RUN_GET, run)[0][4:])[A_RUN])
        return struct.unpack("=I", inner[2])[0], inner

    def wait(self, run, *states, limit=60):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            state, inner = self.state(run)
            if state in states or state in (DONE, FAILED):
                return state, inner
            time.sleep(0.005)
        raise TimeoutError(f"run {run} stays in state {state}")


def storm_malformed(seconds, rng):
    """Messages of every wrong kind: each is refused, none is a run for long."""
    sock = Socket()
    end = time.monotonic() + seconds
    sent = refused = made = texts = 0
    kinds = list(range(0, 24)) + [63, 255, 4095, 0x3fff]

    def garbage(depth=0):
        parts = []
        for _ in range(rng.randrange(0, 7)):
            kind = rng.choice(kinds) | rng.choice((0, 0, 0, NESTED, 0x4000))
            if depth < 3 and rng.random() < 0.3:
                data = garbage(depth + 1)
            else:
                data = rng.randbytes(rng.choice((0, 1, 2, 3, 4, 4, 4, 4, 8, 8, 12, 64, 300)))
            if rng.random() < 0.2:
                data = struct.pack("=I", rng.choice((0, 1, 2, 0x7fffffff, 0xffffffff, 0x80000000)))
            part = attr(kind, data)
            if rng.random() < 0.1:
                part = struct.pack("=H", rng.choice((0, 1, 3, 5, 0xffff))) + part[2:]
            parts.append(part)
        return b"".join(parts)

    def nearly():
        """A job as it should be, with one thing wrong."""
        body = bytearray(attr(DEV_NAME, DEVICE) + job(rng.choice((0, 1, 2, 3)),
                         rng.choice((0, 1, 64, 1 << 20, 1 << 30, (1 << 30) + 1, 0xffffffff)),
                         rng.choice((0, 1, 2, 3)), **{
                             rng.choice(("outstanding", "chain", "signal", "recv_depth", "pairs",
                                         "poll_batch", "mtu", "node", "port", "gid_index",
                                         "deadline", "warmup", "duration", "clock", "wait")):
                             rng.choice((0, 1, 2, 3, 64, 255, 1023, 1024, 4096, 16384, 65536,
                                         65537, 0x7fffffff, 0x80000000, 0xffffffff)),
                             "cpu": [rng.choice((0, 1, 0x7fffffff, 0xffffffff))] *
                             rng.choice((0, 0, 1, 256, 257, 5000))}))
        if rng.random() < 0.3:
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        return bytes(body)

    while time.monotonic() < end:
        flags = REQUEST | ACK | rng.choice((0, 0, 0, DUMP, ROOT, 0x800))
        command = rng.choice((INFO_GET, DEV_GET, RUN_NEW, RUN_NEW, RUN_NEW, CONNECT, START, STOP,
                              RUN_GET, DEL, NTF, LANE_GET, HIST_GET, 0, 12, 255))
        body = nearly() if command == RUN_NEW else \
            rng.choice((garbage(), attr(RUN_ID, rng.randrange(1 << 32)), attr(DEV_NAME, DEVICE)))
        sent += 1
        try:
            reply = sock.ask(command, body, flags)
            if command == RUN_NEW:
                made += 1
                run = struct.unpack("=I", attributes(attributes(reply[0][4:])[A_RUN])[1])[0]
                if rng.random() < 0.02:
                    sock.do(CONNECT, run)
                    sock.wait(run, READY)
                sock.do(DEL, run)
        except Refused as no:
            refused += 1
            texts += bool(no.text)
            if command == RUN_NEW and no.code in (errno.EINVAL, errno.ERANGE) and not no.text:
                print(f"RUN_NEW refused without a word: {no}")
                return 1
    print(f"{sent} messages, {refused} refused ({texts} with a text), {made} runs made")
    return 0 if refused > sent / 4 else 1


def owner(seed, end, count, wrong, gone=()):
    """Commands of one owner in any order, on a socket that closes at any moment, until the
    time is over. gone: what is also refused, and without a word, while there is no device
    or no module."""
    rng = random.Random(seed)
    sock, runs = None, []
    while time.monotonic() < end:
        dice = rng.random()
        try:
            if not sock:
                sock, runs = Socket(), []
            count["commands"] += 1
            if dice < 0.2 and len(runs) < 4:
                shape = rng.choice((LAT, PINGPONG, RATE))
                op = rng.choice((WRITE, SEND) if shape == PINGPONG else (WRITE, READ, SEND))
                runs.append(sock.new(job(op, rng.choice((1, 64, 8192, 100000)), shape,
                                         pairs=rng.choice((1, 1, 2)), warmup=rng.choice((0, 5)),
                                         duration=rng.choice((1, 50, 100000)))))
                count["runs"] += 1
            elif dice < 0.25 and runs:
                sock.sock.close()
                sock = None
                count["closed"] += 1
            elif runs:
                run = rng.choice(runs)
                command = rng.choice((CONNECT, CONNECT, START, START, STOP, RUN_GET, DEL,
                                      LANE_GET, HIST_GET))
                if command in (LANE_GET, HIST_GET):
                    sock.do(command, run, REQUEST | DUMP)
                else:
                    sock.do(command, run)
                if command == DEL:
                    runs.remove(run)
                if rng.random() < 0.5:
                    time.sleep(rng.random() / 20)
        except Refused as no:
            if no.code in gone:
                count["gone"] += 1
                if no.code == errno.ENOENT:
                    # its runs went with the module, and that which comes has another family
                    sock, runs = None, []
                    time.sleep(rng.random() / 20)
                continue
            if not no.text:
                wrong.append(f"refused without a word: {no}")
            if no.code not in (errno.EBUSY, errno.EINVAL, errno.EALREADY, errno.ENOMEM):
                wrong.append(str(no))
        except OSError as no:
            wrong.append(repr(no))
            return
    for run in runs:
        try:
            sock.do(STOP, run) if sock.state(run)[0] < DONE else None
            sock.wait(run, DONE, FAILED)
        except Refused as no:
            # it may end by itself before it is stopped
            if no.code not in (errno.EALREADY, *gone):
                wrong.append(f"at the end: {no}")
        except OSError as no:
            wrong.append(repr(no))


def owners(seconds, rng, number, disturb=None, gone=()):
    """So many owners at a time, each a thread, while something is done over and over."""
    end = time.monotonic() + seconds
    count = {"commands": 0, "runs": 0, "closed": 0}
    wrong = []
    if disturb:
        count.update({"gone": 0, "times": 0})
    threads = [threading.Thread(target=owner, args=(rng.random(), end, count, wrong, gone))
               for _ in range(number)]
    if disturb:
        threads.append(threading.Thread(target=read_debugfs, args=(end,)))
    for thread in threads:
        thread.start()
    while disturb and time.monotonic() < end:
        time.sleep(rng.random() / 2)
        try:
            disturb(rng)
            count["times"] += 1
        except OSError as no:
            wrong.append(repr(no))
            break
    for thread in threads:
        thread.join()
    print(", ".join(f"{n} {what}" for what, n in count.items()))
    for line in sorted(set(wrong))[:10]:
        print(line)
    return bool(wrong)


def read_debugfs(end):
    """All that debugfs says of runs and devices, while these come and go."""
    while time.monotonic() < end:
        for name in glob.glob("/sys/kernel/debug/kverbs/**", recursive=True):
            try:
                with open(name, "rb") as file:
                    file.read()
            except OSError:
                pass
        time.sleep(0.01)


def tell(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def rdma(command, flags, *attrs):
    """What the RDMA core answers to a command of its own netlink."""
    body = b"".join(attrs)
    found = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 20) as sock:
        sock.settimeout(100)
        sock.send(struct.pack("=IHHII", len(body) + 16, 5 << 10 | command, flags, 1, 0) + body)
        while True:
            data = sock.recv(1 << 16)
            while len(data) >= 16:
                length, kind = struct.unpack_from("=IH", data)
                message, data = data[16:length], data[(length + 3) & ~3:]
                if kind not in (2, 3):
                    found.append(attributes(message))
                    continue
                code = -struct.unpack_from("=i", message)[0]
                if code:
                    raise OSError(code, f"command {command} of the RDMA core")
                return found


def device_goes(rng):
    """The device of the storms goes, and comes back. By no program: one takes longer to
    start than what it does."""
    driver = "/sys/bus/auxiliary/drivers/mlx5_ib.rdma/"
    if DEVICE.startswith("mlx5"):
        tell(driver + "unbind", "mlx5_core.rdma.0")
        time.sleep(rng.random() / 10)
        tell(driver + "bind", "mlx5_core.rdma.0")
        return
    name = DEVICE.encode() + b"\0"
    for found in rdma(1, REQUEST | DUMP):
        if found[2] == name:
            rdma(4, REQUEST | ACK, attr(1, found[1]))
    time.sleep(rng.random() / 10)
    rdma(3, REQUEST | ACK, attr(2, name), attr(65, DEVICE[:3]), attr(51, "d0"))


def module_goes(rng):
    """The module is unloaded as soon as no message is under way, and loaded again."""
    libc = ctypes.CDLL(None, use_errno=True)
    end = time.monotonic() + 60
    while libc.delete_module(b"kverbs", os.O_NONBLOCK):
        code = ctypes.get_errno()
        if code not in (errno.EWOULDBLOCK, errno.EBUSY) or time.monotonic() > end:
            raise OSError(code, "unloading")
    time.sleep(rng.random() / 10)
    with open(os.environ["KVERBS_MODULE"], "rb") as file:
        image = file.read()
    if libc.init_module(image, ctypes.c_ulong(len(image)), b""):
        raise OSError(ctypes.get_errno(), "loading")


def cpu_goes(rng):
    """One of the CPUs goes offline, and comes back."""
    name = rng.choice(glob.glob("/sys/devices/system/cpu/cpu[1-9]*/online"))
    tell(name, "0")
    time.sleep(rng.random() / 10)
    tell(name, "1")


def storm_order(seconds, rng):
    """Commands in any order, of three owners."""
    return owners(seconds, rng, 3)


def storm_device(seconds, rng):
    """Commands in any order, while the device goes and comes."""
    return owners(seconds, rng, os.cpu_count() + 1, device_goes, (errno.ENODEV, errno.ENETDOWN))


def storm_module(seconds, rng):
    """Commands in any order, while the module is unloaded and loaded."""
    return owners(seconds, rng, os.cpu_count() + 1, module_goes, (errno.ENOENT, errno.ENODEV))


def storm_cpu(seconds, rng):
    """Commands in any order, while CPUs go and come."""
    return owners(seconds, rng, os.cpu_count() + 1, cpu_goes)


def storm_dump(seconds, rng):
    """Dumps that are never read to their end, of runs that are deleted meanwhile, on
    sockets that close in the middle."""
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        sock = Socket()
        run = sock.new(job(SEND, 64, PINGPONG, iterations=50, warmup=0, pairs=2, timing=2))
        sock.do(CONNECT, run)
        sock.wait(run, READY)
        sock.do(START, run)
        sock.wait(run, DONE)
        sock.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
        sock.send(rng.choice((HIST_GET, LANE_GET)), attr(RUN_ID, run), REQUEST | DUMP)
        if rng.random() < 0.5:
            sock.sock.recv(1 << 15)
        if rng.random() < 0.5:
            sock.send(DEL, attr(RUN_ID, run), REQUEST)
        sock.sock.close()
        n += 1
    print(f"{n} dumps cut off")
    return 0


def storm_wide(seconds, rng):
    """The longest messages: as many CPUs and steps as fit, in runs that are listed."""
    sock = Socket()
    runs = [sock.new(job(cpu=[0] * 256, iterations=1)) for _ in range(3)]
    listed = sock.ask(RUN_GET, b"", REQUEST | DUMP)
    if len(listed) != len(runs):
        print(f"{len(listed)} of {len(runs)} runs listed")
        return 1
    try:
        sock.new(nest(JOB, *[nest(STEP, attr(OP, 0), attr(SIZE, 1))] * 9))
        return 1
    except Refused as no:
        print(no)
    for bad, word in ((nest(STEP, attr(OP, 99), attr(SIZE, 1)), "op 99"),
                      (nest(STEP, attr(OP, 0), attr(SIZE, 1 << 31)), "size 2147483648"),
                      (attr(PORT, 256), "port 256")):
        try:
            sock.new(nest(JOB, bad))
            return 1
        except Refused as no:
            print(no)
            if word not in no.text:
                return 1
    return 0


def storm_soon(seconds, rng):
    """Stop and delete as soon as started: both must end, whether a lane ran yet or not."""
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        sock = Socket()
        run = sock.new(job(SEND, 64, rng.choice((LAT, PINGPONG, RATE)), duration=100000,
                           pairs=rng.choice((1, 4))))
        sock.do(CONNECT, run)
        if sock.wait(run, READY)[0] != READY:
            print(f"run {run} is not READY")
            return 1
        sock.do(START, run)
        time.sleep(rng.choice((0, 0, 0.001, 0.002, 0.005, 0.02)))
        sock.do(STOP, run)
        sock.wait(run, DONE, limit=30)
        sock.do(DEL, run)
        sock.sock.close()
        n += 1
    print(f"{n} runs stopped at once")
    return 0


def storm_memory(seconds, rng):
    """Each allocation of a connect fails in turn, up to the creation of the CQ, and each of a
    start. Beyond that rxe warns, and rxe's failed create_qp leaves timers that never were.
    Needs fault injection."""
    debug = "/sys/kernel/debug/"
    for place in ("failslab", "fail_page_alloc"):
        for name, value in (("ignore-gfp-wait", "N"), ("verbose", "0"), ("probability", "0")):
            with open(f"{debug}{place}/{name}", "w", encoding="ascii") as file:
                file.write(value)
    with open(debug + "fail_page_alloc/min-order", "w", encoding="ascii") as file:
        file.write("0")

    def workers():
        found = []
        for comm in glob.glob("/proc/[0-9]*/comm"):
            try:
                with open(comm, encoding="ascii") as file:
                    if file.read().startswith("kworker/u"):
                        found.append(comm[:-4] + "fail-nth")
            except OSError:
                pass
        return found

    def nth(files, n):
        for name in files:
            try:
                with open(name, "w", encoding="ascii") as file:
                    file.write(str(n))
            except OSError:
                pass

    def consumed(files):
        for name in files:
            try:
                with open(name, encoding="ascii") as file:
                    if file.read().strip() == "0":
                        return True
            except OSError:
                pass
        return False

    failed = {}
    body = job(SEND, 700000, RATE, iterations=50, warmup=0)
    for command in (START, CONNECT):
        n = 1
        while n < 200:
            began = time.monotonic()
            sock = Socket()
            run = sock.new(body)
            if command == START:
                sock.do(CONNECT, run)
                sock.wait(run, READY)
            files = workers()
            nth(files, n)
            sock.do(command, run)
            try:
                state, inner = sock.wait(run, READY if command == CONNECT else DONE)
            finally:
                hit = consumed(files)
                nth(files, 0)
                nth(workers(), 0)
            sock.sock.close()
            where = inner.get(6, b"").rstrip(b"\0").decode()
            if state == FAILED:
                if not where:
                    print(f"failed, but where? reason {inner[3][0]}")
                    return 1
                failed[where] = failed.get(where, 0) + 1
            if not hit or where == "create CQ" or (command == START and n == 12):
                break
            # a buffer has many pages, and not each is tried where that takes long
            n += 5 if where == "allocate buffer" and time.monotonic() - began > 1 else 1
    print(", ".join(f"{where}: {n}" for where, n in failed.items()))
    return 0 if len(failed) > 3 else 1


def main():
    sys.stdout.reconfigure(line_buffering=True)
    name = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns() % 1000000
    print(f"seed {seed}")
    try:
        sys.exit(globals()["storm_" + name](seconds, random.Random(seed)))
    except (Refused, OSError) as no:
        print(f"{type(no).__name__}: {no}")
        sys.exit(1)


if __name__ == "__main__":
    main()
