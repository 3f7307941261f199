"""Quality, time and memory from 30 to hundreds of variables; see `run.py`."""
