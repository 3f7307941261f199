"""Files of posteriors."""

from orderspn.storage.archive import FORMAT as FORMAT
from orderspn.storage.archive import FORMAT_VERSION as FORMAT_VERSION
from orderspn.storage.archive import read_manifest as read_manifest
from orderspn.storage.posteriors import check_destination as check_destination
from orderspn.storage.posteriors import load as load
from orderspn.storage.posteriors import save as save
