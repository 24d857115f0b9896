from __future__ import annotations

import os
import threading

from threadpoolctl import threadpool_info, threadpool_limits

from hinge._model.threads import count_threads, one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_n_jobs():
    assert count_threads(3) == 3
    assert 1 <= count_threads(-1) <= os.cpu_count()


def test_none_follows_the_limits_around():
    with threadpool_limits(1):
        assert count_threads(None) == 1
    with threadpool_limits(2):
        assert count_threads(None) == 2


def test_blas_is_held_at_one_thread_and_let_go():
    with threadpool_limits(2):
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_threads_that_overlap_let_go_together():
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    with threadpool_limits(2):
        other = threading.Thread(target=stay)
        with one_blas_thread():
            other.start()
            inside.wait(10)
        assert blas_threads() == {1}
        assert count_threads(None) == 2
        leave.set()
        other.join()
        assert blas_threads() == {2}


def test_many_threads_leave_the_blas_as_it_was():
    def work():
        for _ in range(200):
            with one_blas_thread():
                pass

    with threadpool_limits(2):
        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert blas_threads() == {2}
