"""What the risk check costs: the rules alone, and with the second opinion, on the labelled lines.

Claims shown here, in one run:

1. The rules alone take less than 2 ms an utterance.
2. Their time grows no faster than the text: ten times the text takes at most fifteen times as long.

The second opinion's time is printed beside; it is a model's, and is kept with each text it has read.

Run it with `make bench`, or `python benchmarks/risk_check.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from counsel_core.safety.evaluation import read_labelled
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import screen

LIMIT_MS = 2.0
GROWTH = 15.0
LINE = "My sister called again last night and we argued about the rent; I couldn't sleep until three. "
TRIES = 3


def milliseconds(check: Callable[[str], object], texts: list[str]) -> float:
    started = time.perf_counter()
    for text in texts:
        check(text)
    return (time.perf_counter() - started) / len(texts) * 1000


def main() -> None:
    texts = [one.text for one in read_labelled()]
    check_risk(texts[0])
    screen(texts[0])
    rules = min(milliseconds(check_risk, texts) for _ in range(TRIES))
    both = milliseconds(screen, texts[::10])
    print(f"{len(texts)} utterances: rules {rules:.2f} ms each (limit {LIMIT_MS:.0f} ms), ", end="")
    print(f"with the second opinion {both:.1f} ms")
    short, long = ((LINE * n)[: n * 95] for n in (8, 80))
    ratios = [milliseconds(check_risk, [long]) / milliseconds(check_risk, [short]) for _ in range(TRIES)]
    ratio = median(ratios)
    print(f"ten times the text takes {ratio:.1f} times as long (limit {GROWTH:.0f})")
    raise SystemExit(0 if rules < LIMIT_MS and ratio < GROWTH else "over the limit")


if __name__ == "__main__":
    main()
