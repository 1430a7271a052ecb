"""The pages: the only place that knows Streamlit. Each module of this folder is one page."""
