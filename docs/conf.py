"""How Sphinx builds these pages: every code cell is run, and whatever goes wrong stops the build."""

import os
import re
import sys
from functools import partialmethod
from importlib.metadata import version as installed
from typing import Any

from docutils.nodes import literal_block
from nbclient import NotebookClient
from sphinx.addnodes import pending_xref
from sphinx.ext.napoleon import NumpyDocstring

import orderspn

# Cells that call the command line find the program of the environment that builds the pages.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])

project = "orderspn"
author = "The orderspn developers"
project_copyright = author
version = release = installed("orderspn")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
# Backticks in docstrings are code, and a link where they name something public.
default_role = "py:obj"

# --- code cells
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_output_stderr = "error"  # a warning of the library in a page is a fault of the page
# What a shell prints comes in pieces, which are one output; nb_merge_streams would break a line between them. Kernels
# would warn of ports that others on the machine could listen to: here they only run our own cells.
NotebookClient.__init__ = partialmethod(
    NotebookClient.__init__, coalesce_streams=True, extra_arguments=["--log-level=ERROR"]
)
myst_heading_anchors = 3

# --- reference
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say types in words
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes of a class as a list, not as entries that members would repeat
napoleon_use_rtype = False
# The first line of a property is a sentence, also where it has a colon, and not "type: description".
NumpyDocstring._consume_inline_attribute = lambda self: (
    "",
    NumpyDocstring(self._consume_to_end(), self._config).lines(),
)
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"

# --- look
html_theme = "furo"
html_title = f"orderspn {release}"
html_static_path = ["_static"]
html_css_files = ["cells.css"]
html_show_sphinx = False
html_copy_source = False


MODULES = ("experiments", "export", "metrics", "plot", "scores", "simulate")
PUBLIC = {f"orderspn.{name}" for name in orderspn.__all__}
PUBLIC |= {f"orderspn.{module}.{name}" for module in MODULES for name in getattr(orderspn, module).__all__}


def keep_links_to_public_names(_app: Any, doctree: Any) -> None:
    """Let only public names be links: `mean` or `graph` in a docstring is an attribute of what is spoken of."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py":
            name = "orderspn." + node["reftarget"].removeprefix("orderspn.").removeprefix("osp.")
            if name in PUBLIC:
                node["reftarget"], node["refspecific"] = name, False
            else:
                node.replace_self(node.children)


SHELL_CELL = "%%bash\n"
FOR_THE_PAGE = re.compile(r" 2>&1( \|\| true)?$", re.MULTILINE)


def show_shell_cells_as_shell(_app: Any, doctree: Any) -> None:
    """Show what a reader types: without the magic of notebooks, and without what only gets messages into the page."""
    for node in list(doctree.findall(literal_block)):
        if node.astext().startswith(SHELL_CELL):
            script = FOR_THE_PAGE.sub("", node.astext().removeprefix(SHELL_CELL))
            node.replace_self(literal_block(script, script, language="bash", classes=node["classes"]))


def setup(app: Any) -> None:
    """Take part in the build."""
    app.connect("doctree-read", keep_links_to_public_names)
    app.connect("doctree-read", show_shell_cells_as_shell)
