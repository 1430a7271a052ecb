"""Our own cost of a turn, the growth of the database, and the tokens that each agent sends.

Claims shown here, all in one run:

1. What a turn costs besides the models (rules and embeddings count as models; the two
   transactions count as ours) is at most 10 ms at turns 1, 100 and 500, and does not grow.
2. The database grows with the words of a session and not with their square.
3. Tokens of the prompts of a turn over 60 turns: SuDoSys and CoCoA stay level, agents that send
   the whole history grow. Tokens are counted with the WordPiece tokenizer in data/models: a proxy
   for the tokenizer of whichever model is used.

Run it with `make bench`; the plot goes to docs/pictures/tokens_per_turn.png.
"""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from statistics import median

from counsel_core.conversation import start_session, take_turn
from counsel_core.language.embeddings import TOKENIZER, CachedEmbedder
from counsel_core.llm._base import ChatModel
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Completion, ModelRequest, ModelSpec
from counsel_core.settings import DATA, PROJECT, Settings, read_settings
from counsel_core.storage.database import Database, open_database

LINES = (
    "The rent went up and I can't see how to pay it in month {n}.",
    "My sister says I should ask the landlord, but I always make a mess of such talks.",
    "I slept four hours last night and felt tired at work.",
    "If I lose the flat, everything is over for me.",
    "On day {n} I walked to the park and that was good.",
    "My colleague looked away when I came in, so she must think I am lazy.",
    "I wrote down three ideas: a second job, a smaller flat, a payment plan.",
    "I could ask at the housing office on Monday.",
)
AT_TURNS = (1, 100, 500)
AROUND = 10
SIZES_AT = (100, 200, 400)
LIMIT_MS = 10.0


class Stopwatch:
    """Collects when models and encoders were at work; calls may overlap, so intervals are united."""

    def __init__(self) -> None:
        self._intervals: list[tuple[float, float]] = []
        self._lock = threading.Lock()

    def add(self, start: float, end: float) -> None:
        with self._lock:
            self._intervals.append((start, end))

    def take(self) -> float:
        """Return the seconds covered by at least one interval, and forget them."""
        covered, last = 0.0, float("-inf")
        for start, end in sorted(self._intervals):
            covered += max(0.0, end - max(start, last))
            last = max(last, end)
        self._intervals.clear()
        return covered


class Timed:
    """A model whose time is not ours."""

    def __init__(self, model: ChatModel, watch: Stopwatch) -> None:
        self._model, self._watch, self.prompts = model, watch, [""]

    @property
    def spec(self) -> ModelSpec:
        return self._model.spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        start = time.perf_counter()
        try:
            self.prompts.append("\n".join(message.content for message in request.messages))
            return self._model.complete(request, cancel)
        finally:
            self._watch.add(start, time.perf_counter())


def time_embeddings(watch: Stopwatch) -> None:
    """Count the encoder's time as a model's."""
    embed = CachedEmbedder.embed

    def timed(self: CachedEmbedder, texts: object) -> object:
        start = time.perf_counter()
        try:
            return embed(self, texts)  # type: ignore[arg-type]
        finally:
            watch.add(start, time.perf_counter())

    CachedEmbedder.embed = timed  # type: ignore[method-assign, assignment]


def pages_used(database: Database) -> int:
    """Return the bytes of the pages in use, whether still in the write-ahead log or in the file."""
    with database.reading() as connection:
        count, free, size = (
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((count - free) * size)


def line(number: int) -> str:
    return LINES[number % len(LINES)].format(n=number)


def run(
    agent: str, turns: int, folder: Path, watch: Stopwatch
) -> tuple[list[float], list[int], list[list[str]]]:
    """Return, by turn: our own milliseconds, the database's bytes, the prompts sent."""
    settings: Settings = read_settings({"COUNSEL_DATA_DIR": str(folder)})
    database: Database = open_database(settings.database_url)
    model = Timed(open_model("guided", settings), watch)
    session = start_session(database, agent=agent, model="guided", settings=settings)
    own, sizes, prompts = [], [], []
    for number in range(1, turns + 1):
        watch.take()
        model.prompts = []
        start = time.perf_counter()
        take_turn(database, model, session.id, line(number))
        own.append(1000 * (time.perf_counter() - start - watch.take()))
        prompts.append(model.prompts)
        sizes.append(pages_used(database) if number in SIZES_AT else 0)
    database.close()
    return own, sizes, prompts


def warm_up(watch: Stopwatch) -> None:
    """Load what a process loads once: the encoder, the risk patterns, the phrases."""
    for agent in ("sudosys", "cocoa"):
        with tempfile.TemporaryDirectory() as folder:
            run(agent, len(LINES), Path(folder), watch)


def show_overhead(watch: Stopwatch) -> bool:
    print(f"Own milliseconds a turn (median of {AROUND} turns around), limit {LIMIT_MS:.0f} ms")
    print(f"{'agent':14}" + "".join(f"{'turn ' + str(at):>12}" for at in AT_TURNS) + f"{'500 : 1':>10}")
    good = True
    for agent in ("sudosys", "cocoa"):
        with tempfile.TemporaryDirectory() as folder:
            own, sizes, _ = run(agent, AT_TURNS[-1] + AROUND, Path(folder), watch)
        shown = [median(own[max(0, at - AROUND // 2) : at + AROUND // 2 + 1]) for at in AT_TURNS]
        print(f"{agent:14}" + "".join(f"{value:12.2f}" for value in shown) + f"{shown[-1] / shown[0]:10.2f}")
        growth = (sizes[399] - sizes[199]) / (sizes[199] - sizes[99])
        print(
            f"{'':14}database: {sizes[199] / 1e6:.2f} MB at turn 200, {sizes[399] / 1e6:.2f} MB at turn 400;"
        )
        print(f"{'':14}turns 200–400 add {growth:.2f} times what 100–200 add")
        print(f"{'':14}(2 = it grows with the words, 4 = with their square)")
        good = good and max(shown) <= LIMIT_MS
    return good


def show_tokens(watch: Stopwatch) -> None:
    import pandas as pd
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = []
    for agent in ("sudosys", "cocoa", "stage_unaware", "plain"):
        with tempfile.TemporaryDirectory() as folder:
            _, _, prompts = run(agent, 60, Path(folder), watch)
        for turn, texts in enumerate(prompts, start=1):
            tokens = sum(len(tokenizer.encode(text).ids) for text in texts)
            rows.append({"turn": turn, "agent": agent, "tokens of the turn's prompts": tokens})
    frame = pd.DataFrame(rows)
    table = frame.pivot_table(index="turn", columns="agent", values="tokens of the turn's prompts")
    print("\nTokens of the prompts of a turn (WordPiece of data/models, a proxy)")
    print(table.loc[[1, 10, 20, 30, 40, 50, 60]].astype(int).to_string())
    draw(frame)


def draw(frame: object) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import seaborn as sns

    sns.set_theme(style="whitegrid", palette="colorblind")
    plot = sns.relplot(
        data=frame,
        x="turn",
        y="tokens of the turn's prompts",
        hue="agent",
        style="agent",
        kind="line",
        aspect=1.6,
    )
    target = PROJECT / "docs" / "pictures" / "tokens_per_turn.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    plot.savefig(target, dpi=120)
    print(f"\nplot: {target.relative_to(PROJECT)}")


if __name__ == "__main__":
    assert DATA.exists()
    stopwatch = Stopwatch()
    time_embeddings(stopwatch)
    warm_up(stopwatch)
    within = show_overhead(stopwatch)
    show_tokens(stopwatch)
    raise SystemExit(0 if within else f"a turn's own cost is over {LIMIT_MS:.0f} ms")
