"""Program code: functions of typed registers and plain instructions, and their interpreter."""
