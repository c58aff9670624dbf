"""docs/how-to/come-from-tvm.md is performed, block after block."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/how-to/come-from-tvm.md"


def test_the_blocks_of_the_page_run():
    blocks = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 8
    exec("".join(blocks), {})
