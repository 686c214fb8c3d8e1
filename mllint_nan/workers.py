"""Processes that end with the command: how a pool of them is started and closed."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


def start_workers(number: int) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    if os.name == "nt":
        number = min(number, 61)  # the most handles that Windows waits for at once
    elif multiprocessing.get_start_method() == "fork":
        # Workers inherit what is loaded here, and their garbage collectors skip it.
        import mllint_nan.linter  # noqa: F401

        gc.freeze()
    return ProcessPoolExecutor(number, initializer=_end_with_the_command)


@contextlib.contextmanager
def closing(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """Close the pool; after an exception, cancel what has not begun, and end what has."""
    try:
        yield pool
    except BaseException:
        for worker in (pool._processes or {}).values():
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_the_command() -> None:
    """Let a worker end without a traceback on Ctrl-C, and when the command ends."""
    gc.disable()  # `garbage_collection` decides when it runs
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_outlive_nobody, daemon=True).start()


def _outlive_nobody() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
