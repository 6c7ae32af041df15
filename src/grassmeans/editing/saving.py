"""The earlier place of `save_version`, which leads to its new one until 0.3.0."""

from __future__ import annotations

from grassmeans.lazy import lead_to

__getattr__ = lead_to(__name__, "grassmeans_explorer.editing.saving", "save_version")
