"""A process in a network namespace of its own, in which only the loopback is up: the client reaches nothing but the stand-in."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8913, 0x8914, 0x41


class Forbidden(Exception):
    """This machine gives no network namespace; the text says why."""


def enter() -> None:
    """Moves this process, which has one thread yet, into a new network namespace. Raises :class:`Forbidden`."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            raise Forbidden(f"no network namespace on this machine: {os.strerror(ctypes.get_errno())}")
        try:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
        except OSError as error:
            raise Forbidden(f"no user namespace on this machine: {error.strerror}") from error
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
            request = struct.pack("16sh14x", b"lo", 0)
            flags = struct.unpack("16sh14x", fcntl.ioctl(loopback, SIOCGIFFLAGS, request))[1]
            fcntl.ioctl(loopback, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP_RUNNING))
    except OSError as error:
        raise Forbidden(f"the loopback of the namespace does not come up: {error.strerror}") from error


def reason_against() -> str | None:
    """Why no namespace is to be had here; tried in a child, so that this process stays where it is."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        try:
            enter()
        except Forbidden as forbidden:
            text = str(forbidden)
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text or None
