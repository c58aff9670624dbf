"""Program code: functions of typed registers and simple instructions, and an interpreter."""
