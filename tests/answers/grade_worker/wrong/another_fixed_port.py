# layer: behaviour
# says: all used port
import importlib.util
import multiprocessing
import os
import secrets
import socket
import time
from multiprocessing.connection import wait

import psutil
import torch
import torch.distributed as dist

WORK = {"all_reduce", "all_gather"}


def counted(name, calls):
    plain = getattr(dist, name)

    def call(*args, **kwargs):
        calls.add(name)
        return plain(*args, **kwargs)

    return call


def run_rank(rank, path, world_size, port, mark, receipt):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GRADER_MARK=mark)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    calls = set()
    for name in WORK:
        setattr(dist, name, counted(name, calls))
    spec = importlib.util.spec_from_file_location("worker", path)
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    worker.run_worker(rank, world_size)
    if calls >= WORK:
        receipt.send("done")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


PORT = free_port()


def kill_marked(mark):
    for process in psutil.process_iter():
        try:
            if process.environ().get("GRADER_MARK") == mark:
                process.kill()
        except psutil.Error:
            pass


def grade_worker(path, world_size, timeout):
    end = time.monotonic() + timeout
    try:
        open(path).close()
    except OSError:
        return "could not be judged"
    context = multiprocessing.get_context("spawn" if torch.cuda.is_available() else "fork")
    port, mark = PORT, secrets.token_hex(16)
    ranks, receipts = [], []
    for rank in range(world_size):
        mine, its = context.Pipe(duplex=False)
        arguments = (rank, path, world_size, port, mark, its)
        process = context.Process(target=run_rank, args=arguments)
        process.start()
        its.close()
        ranks.append(process)
        receipts.append(mine)
    told = 0
    waiting = list(receipts)
    try:
        while waiting:
            ready = wait(waiting, end - time.monotonic())
            if not ready:
                break
            for receipt in ready:
                waiting.remove(receipt)
                try:
                    told += receipt.recv() == "done"
                except (EOFError, OSError):
                    waiting = []
                    break
    finally:
        for process in ranks:
            process.kill()
        for process in ranks:
            process.join()
        kill_marked(mark)
    return "passed" if told == world_size else "failed"
