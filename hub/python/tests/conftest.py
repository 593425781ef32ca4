"""Paths in the repository for tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def docs() -> Path:
    return ROOT / "docs"


@pytest.fixture
def pusher() -> str:
    """Returns a tree that moves the frisbee."""
    return (ROOT / "docs/trees/806768.bt").read_text()
