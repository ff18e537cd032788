"""Prompt packs on the command line: exported, changed, weighed, compared, run side by side, linted, gated."""

from dataclasses import replace
from pathlib import Path

import pytest
from calling import INCIDENT, RECOVERY, SUITE, call
from conftest import PROJECT

from harness.contracts import CONTRACTS
from harness.prompting.render import PACKS
from harness.store import open_run
from harness.targets.mock import literal
from harness.targets.prompted import BUILT_IN
from harness.violations import Situation
from harness.violations.violation import Arguments

W, R = "workflow-selection-2.7", "workflow-recovery-1.0"
PASS_THROUGH = ["PAS-1", "PAS-2", "PAS-3", "PAS-4"]
RUN = ("run", *SUITE, "-c", W, "-s", INCIDENT, "-q")


@pytest.fixture
def pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A copy of every built-in pack."""
    assert call(capsys, "render", "--export", str(tmp_path / "mine")).code == 0
    return tmp_path / "mine"


def change(pack: Path, before: str, after: str, contract: str = W) -> Path:
    file = pack / contract / "prompt.md.j2"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    return pack


def without_pass_through(pack: Path) -> Path:
    file = pack / W / "prompt.md.j2"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    (rule,) = (each for each in lines if each.startswith("**Pass-through labels.**"))
    return change(pack, rule, "")


# Export


def test_an_exported_pack_is_the_built_in_one(pack: Path) -> None:
    for each in CONTRACTS:
        exported = (pack / each.id / "prompt.md.j2").read_bytes()
        assert exported == (PACKS / each.id / "prompt.md.j2").read_bytes()


def test_one_contract_alone_can_be_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "render", "--export", str(tmp_path), "-c", R)

    assert ended.code == 0
    assert ended.out.splitlines() == [str(tmp_path / R / "prompt.md.j2")]
    assert [each.name for each in tmp_path.iterdir()] == [R]


def test_an_export_writes_over_nothing(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pack / W / "prompt.md.j2").write_text("mine", encoding="utf-8")
    ended = call(capsys, "render", "--export", str(pack), "-c", W)

    assert ended.code == 2
    assert "is there already" in ended.err
    assert (pack / W / "prompt.md.j2").read_text(encoding="utf-8") == "mine"


# Rendering


def test_tokens_of_each_section_are_told_beside_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "render", INCIDENT, "-c", W, *SUITE)

    assert ended.out.startswith("# ")
    assert "tokens" not in ended.out.splitlines()[0]
    lines = ended.err.splitlines()
    assert lines[0].split() == ["tokens", "section"]
    numbers = [int(line.split()[0]) for line in lines[1:]]
    assert sum(numbers[:-1]) == numbers[-1]
    assert any(line.endswith("MCP Workflow Search Guidance") for line in lines)
    assert "estimated: characters / 4" in lines[-1]
    whole = -(-len(ended.out) // 4)
    assert whole <= sum(numbers[:-2]) <= whole + len(numbers)


def test_the_difference_of_two_packs_is_a_diff(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without_pass_through(pack)
    ended = call(capsys, "render", INCIDENT, "-c", W, *SUITE, "--diff", str(pack))
    changed = [
        each for each in ended.out.splitlines() if each[:1] in {"+", "-"} and each[:3] not in {"+++", "---"}
    ]

    assert ended.code == 0
    assert [each for each in changed if each.startswith("-**Pass-through labels.**")]
    assert not [each for each in changed if each.startswith("+")]
    assert ended.err.startswith("MCP Workflow Search Guidance: ")


def test_equal_packs_do_not_differ(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "render", INCIDENT, "-c", W, *SUITE, "--diff", str(pack)).out == ""


# Runs


def only_run(out: Path) -> Path:
    (found,) = out.iterdir()
    return found


def test_one_pack_leaves_the_target_its_name(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *RUN, "--out", str(tmp_path / "runs"), "--prompts", str(pack)).code == 0
    info = open_run(str(only_run(tmp_path / "runs"))).info

    assert list(info.targets) == ["mock:oracle"]
    assert info.prompts == str(pack)


def two_packs(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Path:
    both = ("--prompts", BUILT_IN, "--prompts", str(without_pass_through(pack)))
    ended = call(capsys, *RUN, "-t", "mock:literal", *both, "--out", str(tmp_path / "runs"), *more)
    assert ended.code == 0, ended.err
    return only_run(tmp_path / "runs")


def test_two_packs_are_two_targets_of_one_run(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = open_run(str(two_packs(pack, tmp_path, capsys)))
    prompts = {each.id.target: each.prompt[0].content or "" for each in run.transcripts()}

    assert run.info.prompts is None
    assert {name: each["prompts"] for name, each in run.info.targets.items()} == {
        "mock:literal+built-in": BUILT_IN, "mock:literal+mine": str(pack),
    }  # fmt: skip
    assert "Pass-through labels" in prompts["mock:literal+built-in"]
    assert "Pass-through labels" not in prompts["mock:literal+mine"]


def test_a_run_of_two_packs_is_resumed_and_graded_with_them(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = two_packs(pack, tmp_path, capsys)
    file = run / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    lost = next(each for each in lines if "+mine" in each)
    file.write_text("".join(each for each in lines if each != lost), encoding="utf-8")

    assert call(capsys, "run", "--resume", str(run), "--project", str(PROJECT.root), "-q").code == 0
    told = {each.id.target: each.digests["prompt"] for each in open_run(str(run)).transcripts()}
    assert len(set(told.values())) == 2
    assert call(capsys, "grade", str(run), *SUITE).code == 0


def test_packs_of_one_name_are_refused(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "mine"
    assert call(capsys, "render", "--export", str(other)).code == 0
    ended = call(
        capsys, *RUN, "--out", str(tmp_path / "runs"), "--prompts", str(pack), "--prompts", str(other)
    )

    assert ended.code == 2
    assert "found a second pack called 'mine'" in ended.err


def test_only_what_a_changed_pack_changes_is_run_again(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ("--out", str(tmp_path / "runs"))
    assert call(capsys, "run", *SUITE, "-q", *out).code == 0
    first = only_run(tmp_path / "runs")
    again = ("run", *SUITE, "-q", *out, "--changed-since", str(first), "--prompts", str(pack), "--json")

    assert call(capsys, *again).value["run"] is None
    change(pack, "Understand what was attempted", "Read what was attempted", R)
    run = open_run(call(capsys, *again).value["run"])
    assert list(run.info.scenarios) == [RECOVERY]


# Lint


def test_a_rule_taken_out_is_noticed_by_lint_and_by_scores(capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "lint", "--ablate", *SUITE, "-c", W, "--json")
    found = {tuple(each["clauses"]): each for each in ended.value}

    assert ended.code == 0
    assert found[*PASS_THROUGH,]["lint"] == PASS_THROUGH
    assert set(found[*PASS_THROUGH,]["scores"]) == set(PASS_THROUGH)
    assert found[*PASS_THROUGH,]["removed"][0].startswith("**Pass-through labels.**")
    assert not [each for each in ended.value if each["unnoticed"]]
    assert "0 unnoticed" in ended.err


def test_a_rule_whose_loss_no_score_shows_fails_the_lint(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def harmless(arguments: Arguments, _: Situation) -> Arguments:
        return {**arguments, "query": f"{arguments['query']} again"}

    tame = (replace(each, aside=harmless) if each.clause == "QRY-5" else each for each in literal.LAPSES)
    monkeypatch.setattr(literal, "LAPSES", tuple(tame))
    ended = call(capsys, "lint", "--ablate", *SUITE, "-c", W)

    assert ended.code == 1
    (line,) = (each for each in ended.out.splitlines() if "unnoticed: " in each)
    assert line.endswith("unnoticed: QRY-5")


def test_a_changed_pack_is_linted(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "lint", *SUITE, "--prompts", str(without_pass_through(pack)), "--json")
    untold = [each["message"].split(" ")[0] for each in ended.value if each["clause"] == "PRM-10"]

    assert ended.code == 1
    assert untold == PASS_THROUGH


# The prompt gate


def gated(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], baseline: str | None = None
) -> tuple[int, str, str]:
    """Return how a gate of the pack against the built-in one ends, with its text and its JSON."""
    out = ("--out", str(tmp_path / "runs"))
    many = (*RUN, "-t", "mock:literal", "-n", "40", *out)
    if baseline is None:
        assert call(capsys, *many).code == 0
        baseline = str(only_run(tmp_path / "runs"))
    assert call(capsys, *many, "--prompts", str(pack)).code == 0
    gate = ("gate", "latest", *out, *SUITE, "--baseline", baseline, "--baselines", str(tmp_path / "blessed"))
    ended = call(capsys, *gate)
    return ended.code, ended.out, call(capsys, *gate, "--json").err


def test_a_pack_without_the_pass_through_rule_regresses(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, said = gated(without_pass_through(pack), tmp_path, capsys)

    assert code == 1
    assert text.startswith("regression: pass_through fell")
    assert "no longer told: PAS-1, PAS-2, PAS-3, PAS-4 (pass_through)" in " ".join(text.split())
    assert f"note: no longer told: PAS-1, PAS-2, PAS-3, PAS-4 (pass_through) under {W}" in said


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("**Pass-through labels.** Copy", "**Pass-through labels.**\n   Copy"),
        (
            "Copy the business fields of this request into `label.environment`",
            "Carry the fields that the business has set over into `label.environment`",
        ),
    ],
    ids=["white space", "paraphrase"],
)
def test_what_keeps_the_rule_passes(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    code, text, said = gated(change(pack, before, after), tmp_path, capsys)

    assert code in {0, 4}, text
    assert "fell" not in text.splitlines()[0]
    assert "told" not in said


def test_a_baseline_whose_transcripts_are_gone_still_shows_the_loss(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "runs"
    assert call(capsys, *RUN, "-t", "mock:literal", "-n", "40", "--out", str(out)).code == 0
    run = only_run(out)
    bless = ("bless", str(run), "--as", "lit", "--out", str(out), *SUITE)
    assert call(capsys, *bless, "--baselines", str(tmp_path / "blessed")).code == 0
    run.rename(tmp_path / "elsewhere")
    code, text, _ = gated(without_pass_through(pack), tmp_path, capsys, baseline="lit")

    assert code == 1
    assert text.startswith("regression: pass_through fell")
