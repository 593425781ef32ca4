"""Progress bar, if tqdm is installed; otherwise nothing is shown."""

from __future__ import annotations

import sys
from typing import Any


class Bar:
    """A progress bar, shown if `wanted` is True, or if it is None and standard error is a terminal or this is a notebook."""

    def __init__(self, wanted: bool | None, what: str) -> None:
        self._bar: Any = None
        if wanted is False:
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        if wanted is None and not sys.stderr.isatty() and "ipykernel" not in sys.modules:
            return
        form = "{desc}: {percentage:3.0f}% |{bar}| {elapsed} < {remaining}{postfix}"
        self._bar = tqdm(total=1.0, desc=what, bar_format=form)

    def show(self, done: float, **words: Any) -> None:
        """Shows the completed share [0..=1]."""
        if self._bar is not None:
            self._bar.set_postfix(words, refresh=False)
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
