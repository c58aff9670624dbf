"""Programs from other formats: one folder per source."""
