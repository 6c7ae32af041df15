import pytest

from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels


def test_cpu_is_the_default_device():
    assert get_kernels() is get_kernels("cpu")


def test_an_unknown_device_names_those_that_exist():
    with pytest.raises(InputError, match=r"'cpu'.*got 'tpu'"):
        get_kernels("tpu")
