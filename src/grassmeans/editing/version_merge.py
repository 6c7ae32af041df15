"""The earlier place of `merge_versions`, which leads to its new one until 0.3.0."""

from __future__ import annotations

from grassmeans.lazy import lead_to

__getattr__ = lead_to(__name__, "grassmeans_explorer.editing.version_merge", "merge_versions")
