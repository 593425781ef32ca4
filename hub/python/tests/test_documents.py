"""Runs the Python code on the documentation page of this package."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_runs(code, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "document"})


def test_there_are_blocks():
    assert len(BLOCKS) >= 4
