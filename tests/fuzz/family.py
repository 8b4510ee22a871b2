# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The netlink family by its spec, for tests that speak to the module without the tool."""
import errno
import os
import socket
import struct
import time

import yaml

SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/netlink/kverbs.yaml")
SIZES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8}
REQUEST, ACK, DUMP, NESTED = 1, 4, 0x300, 0x8000
SOL_NETLINK, CAP_ACK, EXT_ACK = 270, 10, 11
NEW, READY, RUNNING, DONE, FAILED = range(5)


class Spec:
    """Numbers, types and ranges of the family."""

    def __init__(self):
        with open(SPEC, encoding="utf-8") as file:
            spec = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.sets = {}
        for group in spec["attribute-sets"]:
            number, found = 0, {}
            for attribute in group["attributes"]:
                number = attribute.get("value", number + 1)
                found[attribute["name"]] = dict(attribute, number=number)
            self.sets[group["name"]] = found
        self.enums = {}
        self.consts = {}
        for one in spec["definitions"]:
            if one["type"] == "const":
                self.consts[one["name"]] = one["value"]
            else:
                self.enums[one["name"]] = [
                    e["name"] if isinstance(e, dict) else e for e in one["entries"]]
        self.commands, number = {}, 0
        for command in spec["operations"]["list"]:
            number = command.get("value", number + 1)
            self.commands[command["name"]] = dict(command, number=number)

    def field(self, name, value):
        """An attribute of a job, by name; of an enum the word will do."""
        one = self.sets["job"][name]
        if isinstance(value, str):
            value = self.enums[one["enum"]].index(value)
        return attr(one["number"], value.to_bytes(SIZES[one["type"]], "little"))

    def job(self, steps="write", size=64, **fields):
        """A job: steps as the tool's --op has them, fields with _ for -."""
        step = self.sets["step"]
        body, flags = b"", []
        for word in steps.split(","):
            if word == "wait":
                flags[-1][1] = 1
            else:
                flags.append([word, 0])
        for word, wait in flags:
            op = self.enums["op"].index(word)
            body += attr(self.sets["job"]["step"]["number"] | NESTED,
                         attr(step["op"]["number"], u32(op)) +
                         attr(step["size"]["number"], u32(size)) +
                         attr(step["flags"]["number"], u32(wait)))
        for name, value in fields.items():
            body += self.field(name.replace("_", "-"), value)
        return attr(self.sets["kverbs"]["job"]["number"] | NESTED, body)


def u32(value):
    return struct.pack("=I", value)


def attr(kind, data=b""):
    return struct.pack("=HH", len(data) + 4, kind) + data + b"\0" * (-len(data) % 4)


def attributes_of(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4:
            break
        found.setdefault(kind & 0x3fff, data[4:length])
        data = data[(length + 3) & ~3:]
    return found


class Refused(Exception):
    def __init__(self, command, code, text):
        super().__init__(f"{command}: {errno.errorcode.get(code, code)}: {text}")
        self.command, self.code, self.text = command, code, text


class Client:
    """A socket of the family: commands by name; a refusal is an exception."""

    def __init__(self, spec, family=None):
        self.spec = spec
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.bind((0, 0))
        for option in (CAP_ACK, EXT_ACK):
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.sock.settimeout(30)
        self.number = 0
        self.family = family
        if not family:
            reply = self.exchange("getfamily", 3, attr(2, b"kverbs\0"), REQUEST | ACK, 16)
            self.family = struct.unpack("=H", attributes_of(reply[0][4:])[1])[0]

    def exchange(self, name, command, body, flags, family):
        self.number += 1
        data = struct.pack("=BBH", command, 1, 0) + body
        self.sock.send(struct.pack("=IHHII", len(data) + 16, family, flags, self.number, 0) +
                       data)
        replies = []
        while True:
            data = self.sock.recv(1 << 16)
            while len(data) >= 16:
                length, kind, _, number, _ = struct.unpack_from("=IHHII", data)
                message, data = data[16:length], data[(length + 3) & ~3:]
                if number != self.number:
                    continue
                if kind in (2, 3):
                    code = -struct.unpack_from("=i", message)[0] if message else 0
                    if not code:
                        return replies
                    tlv = attributes_of(message[20 if kind == 2 else 4:])
                    raise Refused(name, code, tlv.get(1, b"").rstrip(b"\0").decode())
                replies.append(message)

    def ask(self, name, body=b"", dump=False):
        return self.exchange(name, self.spec.commands[name]["number"], body,
                             REQUEST | (DUMP if dump else ACK), self.family)

    def of_run(self, name, run, dump=False):
        return self.ask(name, attr(self.spec.sets["kverbs"]["run-id"]["number"], u32(run)), dump)

    def run_in(self, reply):
        """The attributes of the run in a reply, by name."""
        inner = attributes_of(attributes_of(reply[0][4:])[self.spec.sets["kverbs"]["run"]["number"]])
        return {name: inner[a["number"]] for name, a in self.spec.sets["run"].items()
                if a["number"] in inner}

    def new(self, device, job):
        name = attr(self.spec.sets["kverbs"]["dev-name"]["number"], device.encode() + b"\0")
        run = self.run_in(self.ask("run-new", name + job))
        return struct.unpack("=I", run["id"])[0]

    def state(self, run):
        inner = self.run_in(self.of_run("run-get", run))
        return struct.unpack("=I", inner["state"])[0], inner

    def until(self, run, *states, limit=60):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            state, inner = self.state(run)
            if state in states or state in (DONE, FAILED):
                return state, inner
            time.sleep(0.002)
        raise TimeoutError(f"run {run} stays in state {state}")

    def close(self):
        self.sock.close()
