"""What the classic language's users know that has no other home: changeable modules, visitors."""
