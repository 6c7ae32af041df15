"""Files, archives and what users hand over in Python -> documents."""
