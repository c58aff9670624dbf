"""From programs with control flow to program code, and from that to native code."""
