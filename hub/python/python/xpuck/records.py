"""Records of runs as tables.

    with xpuck.records.open("runs/last") as record:
        poses = record.frame("poses")

`open` reads the record of a swarm's run or the folder of an evolution run. The tables of the former are those of
`xpuck runs export` (docs/pandas.md), those of the latter `generations`, `births`, `arrivals` and `samples` (docs/evolution.md).
Frames are created by pandas or polars, as selected.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from . import _xpuck

__all__ = ["EvolutionRecord", "Record", "open"]


class Record:
    """Record of a swarm's run, unpacked into temporary tables until it is closed."""

    def __init__(self, run: str | os.PathLike[str]) -> None:
        self.run = Path(run)
        self._folder: tempfile.TemporaryDirectory[str] | None = tempfile.TemporaryDirectory(prefix="xpuck-")
        try:
            rows, damage = _xpuck.export(self.run, self._folder.name)
        except BaseException:
            self._folder.cleanup()
            raise
        if damage and not any(count for _, count in rows):
            self._folder.cleanup()
            raise ValueError(f"{self.run}: is not a record of a run ({damage[0]})")
        #: Name and number of rows of each table.
        self.tables: dict[str, int] = dict(rows)
        #: Damage of the record, one line per file.
        self.damage: list[str] = damage

    def path(self, table: str) -> Path:
        """Returns the path of a table as a Parquet file, which exists until the record is closed."""
        if self._folder is None:
            raise ValueError(f"the record of {self.run} is closed; open it again")
        _check(table, self.tables)
        return Path(self._folder.name) / f"{table}.parquet"

    def frame(self, table: str, library: str = "pandas") -> Any:
        """Returns a table as a frame of "pandas" or "polars"."""
        path = self.path(table)
        frames = library_of(library)
        return frames.read_parquet(path)

    def close(self) -> None:
        """Deletes the tables."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class EvolutionRecord:
    """Record of an evolution run, in memory until it is closed."""

    def __init__(self, run: str | os.PathLike[str]) -> None:
        self.run = Path(run)
        self._rows: dict[str, list[dict[str, Any]]] | None = {"births": [], "arrivals": [], "samples": []}
        generations = _xpuck.Generations(self.run)
        for text in generations:
            generation = json.loads(text)
            for number, island in enumerate(generation["islands"]):
                where = {"generation": generation["generation"], "island": number}
                self._rows["births"] += [where | _birth(birth) for birth in island["births"]]
                self._rows["arrivals"] += [where | {"id": _name(arrival)} for arrival in island["arrivals"]]
                self._rows["samples"] += [where | sample | {"id": _name(sample["id"])} for sample in island["samples"]]
        left_over = generations.left_over
        #: Damage of the record, one line per file.
        self.damage: list[str] = [f"record.mcap: {left_over} bytes at its end cannot be read"] if left_over else []
        with (self.run / "generations.csv").open(encoding="utf-8") as lines:
            generations_rows = max(0, sum(1 for _ in lines) - 1)
        #: Name and number of rows of each table.
        self.tables: dict[str, int] = {"generations": generations_rows} | {
            name: len(rows) for name, rows in self._rows.items()
        }

    def frame(self, table: str, library: str = "pandas") -> Any:
        """Returns a table as a frame of "pandas" or "polars"."""
        if self._rows is None:
            raise ValueError(f"the record of {self.run} is closed; open it again")
        _check(table, self.tables)
        frames = library_of(library)
        if table == "generations":
            return frames.read_csv(self.run / "generations.csv")
        return frames.DataFrame(self._rows[table])

    def close(self) -> None:
        """Releases the tables."""
        self._rows = None

    def __enter__(self) -> EvolutionRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(run: str | os.PathLike[str]) -> Record | EvolutionRecord:
    """Opens the record of a swarm's run, or of an evolution run, in a folder."""
    evolution = Path(run) / "record.mcap"
    return EvolutionRecord(run) if evolution.exists() else Record(run)


def _name(identity: dict[str, int]) -> str:
    """Returns the identifier of an individual, as accepted by `xpuck runs lineage`."""
    return f"{identity['island']}.{identity['number']}"


def _birth(birth: dict[str, Any]) -> dict[str, Any]:
    mother, father = birth.pop("parents") or (None, None)
    return birth | {"id": _name(birth["id"]), "mother": mother and _name(mother), "father": father and _name(father)}


def _check(table: str, tables: dict[str, Any]) -> None:
    if table not in tables:
        raise ValueError(f"table {table!r}: must be one of {', '.join(tables)}")


def library_of(name: str) -> Any:
    """Returns the module "pandas" or "polars"; if it is missing, the error names the packages to install."""
    if name not in ("pandas", "polars"):
        raise ValueError(f"library {name!r}: must be pandas or polars")
    try:
        library = importlib.import_module(name)
        if name == "pandas":
            # Required by pandas to read Parquet.
            importlib.import_module("pyarrow")
    except ModuleNotFoundError as error:
        wanted = "pandas pyarrow" if name == "pandas" else "polars"
        raise ModuleNotFoundError(f"frames of {name} require it: pip install {wanted}") from error
    return library
