"""Limits of child processes are those of POSIX: elsewhere these modules cannot even be imported for their examples."""

import os

collect_ignore = [] if os.name == "posix" else ["__main__.py", "campaign.py", "judging.py"]
