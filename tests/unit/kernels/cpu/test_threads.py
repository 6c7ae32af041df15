import threading

import numba
import pytest

from grassmeans.kernels.cpu.threads import run_in_blocks


@pytest.fixture(params=[1, 2])
def _threads(request):
    if request.param > numba.config.NUMBA_NUM_THREADS:
        pytest.skip("one core only")
    before = numba.get_num_threads()
    numba.set_num_threads(request.param)
    yield
    numba.set_num_threads(before)


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("n_items", [0, 1, 7, 8, 9, 100])
def test_ranges_cover_every_item_once_and_start_on_blocks(n_items):
    ranges = []
    lock = threading.Lock()

    def work(start, stop):
        with lock:
            ranges.append((start, stop))

    run_in_blocks(work, n_items, 8)
    covered = [item for start, stop in sorted(ranges) for item in range(start, stop)]
    assert covered == list(range(n_items))
    assert all(start % 8 == 0 for start, _ in ranges)


@pytest.mark.usefixtures("_threads")
def test_an_error_in_a_block_reaches_the_caller():
    def work(start, stop):
        raise ZeroDivisionError("in a block")

    with pytest.raises(ZeroDivisionError, match="in a block"):
        run_in_blocks(work, 100, 8)
