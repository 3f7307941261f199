"""Laws of which every example takes long, mostly because it learns posteriors: a quarter of the usual number."""

from hypothesis import settings

costly = settings(max_examples=max(3, settings().max_examples // 4))
