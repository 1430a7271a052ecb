"""Where data sets come from: the one of the paper, which this program does not ship."""

from __future__ import annotations

import streamlit as st


def counsel_chat_card() -> None:
    """Say what Counsel Chat is and where to get it."""
    with st.container(border=True):
        st.markdown(":material/forum: **Counsel Chat**, the data set of the paper")
        st.markdown(
            "2,775 answers of therapists to 940 questions on 31 topics, from counselchat.com. It does not "
            "come with this program, and this program fetches nothing. To use it:"
        )
        st.markdown(
            "1. On Hugging Face, open the data set `nbertagnolli/counsel-chat`.\n"
            "2. Download its file `20220401_counsel_chat.csv` (4 MB).\n"
            "3. Upload it here. Its format is recognised."
        )
        st.caption(
            "Licence of the authors' repository: MIT. The texts are by the site's users and therapists. The "
            "published figures for therapists come out of this file with the preset paper."
        )
