"""Program code: functions of typed registers and plain instructions, and who can run them."""
