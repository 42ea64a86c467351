"""Frames between a kernel and its ranks: a JSON header and raw bytes, never a pickle."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

HEADER_LIMIT = 4 << 20
PAYLOAD_LIMIT = 4 << 30
_SIZES = struct.Struct("!IQ")

Header = dict[str, Any]


class BadFrame(Exception):
    """What arrived is no frame: somebody else wrote into the connection."""


def pack(header: Header, payload: bytes | memoryview = b"") -> bytes:
    """One frame as bytes."""
    head = json.dumps(header, separators=(",", ":")).encode()
    return _SIZES.pack(len(head), len(payload)) + head + payload


class Connection:
    """One end of a stream socket that carries frames."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._buffer = bytearray()

    def fileno(self) -> int:
        return self.sock.fileno()

    def send(self, header: Header, payload: bytes | memoryview = b"") -> None:
        """Send a frame, waiting for room. Raises OSError when the other side is gone."""
        if len(payload) < 65536:
            self.sock.sendall(pack(header, payload))
            return
        head = json.dumps(header, separators=(",", ":")).encode()
        self.sock.sendall(_SIZES.pack(len(head), len(payload)) + head)
        self.sock.sendall(payload)

    def send_packed(self, frame: bytes) -> None:
        """Send what `pack` has made."""
        self.sock.sendall(frame)

    def receive(self) -> tuple[Header, bytes] | None:
        """Wait for one frame; None when the other side has closed."""
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            if not self._fill():
                return None

    def available(self) -> Iterator[tuple[Header, bytes]]:
        """The frames that lie ready after one read. EOFError when the other side has closed."""
        if not self._fill():
            raise EOFError
        while (frame := self._take()) is not None:
            yield frame

    def close(self) -> None:
        self.sock.close()

    def _fill(self) -> bool:
        try:
            data = self.sock.recv(1 << 20)
        except (ConnectionResetError, BrokenPipeError):
            return False
        self._buffer += data
        return bool(data)

    def _take(self) -> tuple[Header, bytes] | None:
        buffer = self._buffer
        if len(buffer) < _SIZES.size:
            return None
        head_size, payload_size = _SIZES.unpack_from(buffer)
        if head_size > HEADER_LIMIT or payload_size > PAYLOAD_LIMIT:
            raise BadFrame
        end = _SIZES.size + head_size + payload_size
        if len(buffer) < end:
            return None
        head = bytes(buffer[_SIZES.size : _SIZES.size + head_size])
        payload = bytes(memoryview(buffer)[_SIZES.size + head_size : end])
        del buffer[:end]
        try:
            header = json.loads(head)
        except ValueError:
            raise BadFrame from None
        if not isinstance(header, dict):
            raise BadFrame
        return header, payload
