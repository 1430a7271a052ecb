"""The doors of the first page: each with a small picture, of the last session or of a labelled sample."""

from __future__ import annotations

import streamlit as st
from plotly.graph_objects import Figure

from counsel_core.agents.cocoa.memory import Distortion
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.agents.cocoa.state import load_state as load_cocoa
from counsel_core.agents.sudosys.protocol import from_json, load_protocol
from counsel_core.agents.sudosys.state import load_state as load_sudosys
from counsel_core.datasets.library import SavedDataset, list_saved
from counsel_core.plots.grids import Grid, distance_grid, rating_grid
from counsel_core.plots.heatmaps import grid_alt_text, heatmap
from counsel_core.published import load_table
from counsel_core.records import Session
from counsel_core.runs.by_topic import topic_sizes
from counsel_core.runs.naming import source_label
from counsel_core.runs.sample_run import install_sample_run, sample_table
from counsel_core.storage.sessions import list_sessions
from pages._ui.charts import show_chart
from pages._ui.chat_address import go_to_demo, go_to_session
from pages._ui.dataset_picker import dataset_label, read_saved
from pages._ui.distortion_panel import distortion_chart
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.run_row import open_run
from pages._ui.stage_stepper import stage_timeline
from pages._ui.workspace import database, settings

PICTURE_HEIGHT = 220
SAMPLE_PROTOCOL, SAMPLE_STAGE = "pm_plus_en", 3
SAMPLE_MEMORY = CocoaState(
    turn=6,
    distortions=(
        Distortion("Labeling", "I am a failure.", 4, 1),
        Distortion("Catastrophizing", "If I am late once more, it is all over.", 5, 3),
        Distortion("Labeling", "Only an idiot would have missed it.", 3, 5),
        Distortion("Mind Reading", "They all think I cannot do it.", 2, 6),
    ),
)


def agent_door() -> None:
    """Explore an agent: the stages of SuDoSys, or the distortions that CoCoA remembers."""
    with st.container(border=True, height="stretch"):
        st.subheader("Explore an agent", anchor=False)
        sudosys, cocoa = st.tabs(["SuDoSys", "CoCoA"])
        with sudosys, problems_shown():
            _sudosys()
        with cocoa, problems_shown():
            _cocoa()


def models_door() -> None:
    """Compare models: the published likeness to therapists by topic, small."""
    with st.container(border=True, height="stretch"):
        st.subheader("Compare models", anchor=False)
        st.caption("Whose answers resemble those of therapists, on which topic, and is it more than noise?")
        table = load_table("4")
        cells = table.melt(var_name="system", value_name="value", ignore_index=False)
        frame = cells.rename_axis("criterion").reset_index()
        grid = rating_grid(frame, lowest=float(table.min(axis=None)), highest=1, title="r with the reference")
        words = f"{grid_alt_text(grid)} As published."
        show_chart(_unlabelled(grid), words=words, key="door_models")
        st.caption("As published (framework paper, Table 4): topics down, models across; darker: more alike")
        st.space("stretch")
        with st.container(horizontal=True):
            st.page_link("pages/published.py", label="Published", icon=":material/menu_book:")
            st.page_link("pages/topics.py", label="Topics", icon=":material/grid_on:")


def dataset_door() -> None:
    """Evaluate a data set: the sample, by topic."""
    with st.container(border=True, height="stretch"):
        st.subheader("Evaluate a data set", anchor=False)
        st.caption("Questions with answers of therapists and models: seven metrics say how alike they are.")
        sample = next((saved for saved in list_saved(settings()) if saved.sample), None)
        if sample is not None:
            _sample(sample)
        st.space("stretch")
        with st.container(horizontal=True):
            if st.button("Open its results", icon=":material/analytics:", key="sample_results"):
                with problems_shown():
                    open_run(install_sample_run(settings()))
            st.page_link("pages/datasets.py", label="Datasets", icon=":material/dataset:")
            st.page_link("pages/metrics.py", label="Metrics", icon=":material/analytics:")


def _sample(sample: SavedDataset) -> None:
    frame = sample_table("topic_distances")
    grid = distance_grid(frame.assign(source=frame["source"].map(source_label)))
    questions = sum(topic_sizes(read_saved(sample)).values())
    words = f"{grid_alt_text(grid)} {as_text(dataset_label(sample))}, {questions} questions."
    show_chart(_unlabelled(grid), words=words, key="door_dataset")
    st.caption(
        "The sample, its references not by therapists: topics down; across two small models, then both "
        "agents by rules; darker: nearer to the reference"
    )


def _unlabelled(grid: Grid) -> Figure:
    """Return a small heatmap without words, which its caption has to give."""
    figure = heatmap(grid)
    figure.update_traces(texttemplate=None, showscale=False)
    figure.update_xaxes(showticklabels=False, ticks="")
    figure.update_yaxes(showticklabels=False, ticks="")
    return figure.update_layout(height=PICTURE_HEIGHT)


def _sudosys() -> None:
    session = _last("sudosys")
    st.caption("A session in stages. See where it stands, what is known of each topic, and why it goes on.")
    if session:
        state = load_sudosys(session.state)
        stage_timeline(from_json(session.material["protocol"]), state.stage, complete=state.complete)
        _from_session(session)
    else:
        stage_timeline(load_protocol(SAMPLE_PROTOCOL, settings().protocols_dir), SAMPLE_STAGE)
        st.caption("Sample picture: a session in its third stage")
    _open_buttons("sudosys", session)


def _cocoa() -> None:
    session = _last("cocoa")
    st.caption("A memory of cognitive distortions chooses what to work on, and with which technique.")
    state = load_cocoa(session.state) if session else SAMPLE_MEMORY
    if session and state.scores():
        distortion_chart(state, key="door", download=False)
        _from_session(session)
    else:
        distortion_chart(SAMPLE_MEMORY, key="door", download=False)
        st.caption("Sample picture: a memory of four made-up utterances")
    _open_buttons("cocoa", session)


def _last(agent: str) -> Session | None:
    return next(iter(list_sessions(database(), agent=agent, limit=1)), None)


def _from_session(session: Session) -> None:
    st.caption(f"From your last session: {as_text(session.title, 60)}")


def _open_buttons(agent: str, session: Session | None) -> None:
    with st.container(horizontal=True):
        if st.button("Play a sample", icon=":material/play_arrow:", key=f"demo_{agent}"):
            go_to_demo(agent)
        if session and st.button("Continue", icon=":material/forum:", key=f"go_on_{agent}"):
            go_to_session(session.id)
