"""What every node must see."""

from pathlib import Path

import pytest

from harness.engines.seeing import check_seen
from harness.errors import EngineFailed

TEXT = "seen"


def test_a_file_that_another_machine_does_not_see_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(TEXT)
    check_seen(file, len(TEXT))
    check_seen(tmp_path / "never", None)

    with pytest.raises(EngineFailed, match=rf"sees {len(TEXT)} bytes where {len(TEXT) + 1} bytes were"):
        check_seen(file, len(TEXT) + 1)
    with pytest.raises(EngineFailed, match=r"sees no such file where 5 bytes were; every node must see"):
        check_seen(tmp_path / "gone", 5)
