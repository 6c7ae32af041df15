from __future__ import annotations

from pathlib import Path

import pytest

from crane_model import save_crane_model
from grassmeans.models.model import SenseModel, load


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory) -> Path:
    return save_crane_model(tmp_path_factory.mktemp("models") / "cranes")


@pytest.fixture(scope="session")
def model(model_folder) -> SenseModel:
    return load(model_folder)
