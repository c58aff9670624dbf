"""Program analyses that several passes share."""
