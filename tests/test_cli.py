from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, INTERRUPTED, main
from mllint_nan.version import __version__
from tests.preloaded import python_with

ROOT = Path(__file__).parent.parent
BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD = "import torch\n\ndef f(x):\n    return torch.log_softmax(x, dim=-1)\n"
COMMAND = [sys.executable, "-m", "mllint_nan"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [python_with("mllint_nan"), *COMMAND[1:], *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=ENVIRONMENT, check=False)


def plant(**sources: str) -> None:
    for name, source in sources.items():
        Path(f"{name}.py").write_bytes(source.encode())


def test_finding_is_reported_with_exit_code_1() -> None:
    plant(a=BAD, b=GOOD)
    done = run()
    assert done.returncode == FINDINGS
    assert done.stdout.startswith(b"a.py:4:12: NAN101 [*] ")
    assert done.stdout.count(b"\n") == 1
    assert b"Found 1 finding in 2 files (1 fixable with --fix)" in done.stderr


def test_clean_file_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=GOOD)
    assert main(["--quiet", "a.py"]) == CLEAN
    assert capsys.readouterr() == ("", "")


def test_fix_rewrites_the_file() -> None:
    plant(a=BAD)
    done = run("--fix")
    assert (done.returncode, done.stdout) == (CLEAN, b"")
    assert done.stderr == b"Fixed 1 finding in 1 file; none left in 1 file\n"
    assert Path("a.py").read_text() == GOOD


def test_fix_keeps_line_ends_and_bom() -> None:
    Path("a.py").write_bytes(b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode())
    assert main(["--fix", "a.py"]) == CLEAN
    assert Path("a.py").read_bytes() == b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()


def test_diff_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=BAD, b=GOOD)
    assert main(["--diff"]) == FINDINGS
    out, err = capsys.readouterr()
    assert out == (
        "--- a.py\n+++ a.py\n@@ -1,4 +1,4 @@\n import torch\n \n def f(x):\n"
        "-    return torch.log(torch.softmax(x, dim=-1))\n"
        "+    return torch.log_softmax(x, dim=-1)\n"
    )
    assert err.startswith("Would fix 1 finding in 1 file")
    assert Path("a.py").read_text() == BAD
    assert main(["--diff", "b.py"]) == CLEAN


def test_standard_input() -> None:
    done = run("-", "--quiet", stdin=BAD.encode())
    assert done.returncode == FINDINGS
    assert done.stdout.startswith(b"-:4:12: NAN101 [*] ")


def test_fixed_standard_input_is_printed() -> None:
    done = run("--fix", "-", stdin=BAD.encode())
    assert (done.returncode, done.stdout) == (CLEAN, GOOD.encode())


@pytest.mark.parametrize("data", [b"x = (\r\n", b"\xff\xfe\r\n", b"x = 1\r\n", b""])
def test_what_cannot_be_fixed_passes_through_unchanged(data: bytes) -> None:
    assert run("--fix", "-", stdin=data).stdout == data


def test_json(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    plant(a=BAD)
    assert main(["--output-format", "json"]) == FINDINGS
    out, err = capsys.readouterr()
    (finding,) = json.loads(out)
    assert (finding["code"], finding["filename"]) == ("NAN101", str(here / "a.py"))
    assert finding["fix"]["edits"][0]["content"] == "torch.log_softmax(x, dim=-1)"
    assert err == ""


def test_full(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=BAD)
    assert main(["--output-format", "full"]) == FINDINGS
    out = capsys.readouterr().out
    assert "4 |     return torch.log(torch.softmax(x, dim=-1))\n  |            ^^^" in out
    assert "\n    +     return torch.log_softmax(x, dim=-1)\n" in out


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=BAD, b=BAD)
    assert main(["--statistics"]) == FINDINGS
    assert capsys.readouterr().out == "2  NAN101  [*] log-of-softmax\n"


def test_syntax_error_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a="import torch\nx = (\n", b=BAD)
    assert main([]) == FINDINGS
    out, err = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == ["NAN901", "NAN101"]
    assert "1 could not be parsed" in err


def test_missing_path_exits_2_and_stops_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    plant(a=BAD)
    assert main(["nope.py", "a.py", "--exit-zero"]) == ERROR
    out, err = capsys.readouterr()
    assert out.startswith("a.py:4:12: NAN101")
    assert err.startswith("nope.py: cannot read: No such file or directory; check the path\n")


def test_missing_path_names_what_is_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("models").mkdir()
    Path("models/train.py").write_text(GOOD)
    assert main(["models/trian.py"]) == main(["--show-files", "models/trian.py"]) == ERROR
    told = "models/trian.py: cannot read: No such file or directory; did you mean models/train.py?"
    err = capsys.readouterr().err
    assert err.count(f"{told}\n") == 2 and err.startswith(told)


def test_broken_link_names_what_it_leads_to(capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.py").symlink_to("gone.py")
    Path("brokn.py").write_text(GOOD)
    assert main(["broken.py"]) == ERROR
    told = "broken.py: cannot read: it is a symbolic link to gone.py, which does not exist\n"
    assert capsys.readouterr().err.startswith(told)


def test_path_may_be_called_as_a_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    Path("check").mkdir()
    Path("check/a.py").write_text(BAD)
    assert main(["check"]) == FINDINGS
    assert capsys.readouterr().out.startswith("check/a.py:4:12: NAN101")


def test_unreadable_file_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    Path("itself.py").symlink_to("itself.py")
    assert main(["itself.py"]) == ERROR
    assert capsys.readouterr().err.startswith("itself.py: cannot read: ")


def test_exit_zero() -> None:
    plant(a=BAD)
    assert main(["--exit-zero"]) == CLEAN
    assert main(["--exit-zero", "--diff"]) == CLEAN


def test_empty_directory_is_clean_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == CLEAN
    assert capsys.readouterr().err == "No Python files found below the given paths\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--select", "NAN1"], FINDINGS),
        (["--select", "nan101,NAN901"], FINDINGS),
        (["--select", "log-of-softmax"], FINDINGS),
        (["--select", "NAN9"], CLEAN),
        (["--ignore", "NAN1"], CLEAN),
        (["--ignore", "NAN901", "--ignore", "log-of-softmax"], CLEAN),
        (["--min-confidence", "likely"], FINDINGS),
        (["--min-confidence", "certain"], CLEAN),
        (["--isolated"], FINDINGS),
    ],
)
def test_rules_are_chosen(options: list[str], code: int) -> None:
    plant(a=BAD)
    assert main(options) == code


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "log-of-softmaks"], "--select: unknown rule 'log-of-softmaks'; "
         "did you mean log-of-softmax?"),
        (["--ignore", "NAN1O1"], "did you mean NAN101?"),
        (["--select", ","], "--select expects codes"),
        (["--explain", "???"], "--list-rules shows them all"),
        (["-", "a.py"], "cannot be combined"),
        (["--output-format", "xml"], "invalid choice"),
        (["--jobs", "0"], "'0' is not a positive number"),
        (["--fixx"], "unrecognized arguments: --fixx; did you mean --fix?"),
        (["--outputformat", "json"], "--outputformat; did you mean --output-format?"),
        (["--format=json"], "--format=json; did you mean --output-format?"),
        (["--sel", "NAN"], "unrecognized arguments: --sel; did you mean --select?"),
        (["--check"], "unrecognized arguments: --check; --help shows all options"),
        (["--select", "NAN999"], "--select: unknown rule 'NAN999'; --list-rules shows them all"),
        (["--explain", "foo"], "--explain: unknown rule 'foo'; --list-rules shows them all"),
        (["--config", "lint = 1"], "--config lint: unknown key; known: extend, select"),
        ([""], "mllint-nan: error: the path is empty; `.` is the current directory"),
        (["a.py", ""], "the path is empty"),
        (["--baseline", "", "a.py"], "--baseline: the path is empty"),
        (["--suspects", "--from", "", "a.py"], "--from: the path is empty"),
        (["--zzz"], "unrecognized arguments: --zzz; --help shows all options"),
        (["check", "a.py"], "check: there are no subcommands; did you mean `mllint-nan a.py`?"),
        (["-q", "fix", "src"], "did you mean `mllint-nan -q --fix src`?"),
        (["rule", "NAN101"], "did you mean `mllint-nan --explain NAN101`?"),
    ],
)  # fmt: skip
def test_wrong_usage_exits_2(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == ERROR
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_suppressed_finding_is_neither_reported_nor_fixed() -> None:
    source = BAD.replace("-1))", "-1))  # noqa: NAN101")
    plant(a=source)
    assert main(["--fix"]) == CLEAN
    assert Path("a.py").read_text() == source


def test_order_does_not_depend_on_the_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    plant(**{f"m{number}": BAD for number in range(30)})
    printed = []
    for jobs in "123":
        assert main(["--jobs", jobs]) == FINDINGS
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1] == printed[2]
    assert printed[0].out.count("\n") == 30


def test_parallel_fix() -> None:
    plant(**{f"m{number}": BAD for number in range(30)})
    assert main(["--fix", "--jobs", "2"]) == CLEAN
    assert {path.read_text() for path in Path().glob("*.py")} == {GOOD}


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain", "nan101"]) == CLEAN
    by_code = capsys.readouterr().out
    assert by_code.startswith("log-of-softmax (NAN101)\n")
    assert main(["--explain", "log-of-softmax"]) == CLEAN
    assert capsys.readouterr().out == by_code
    assert main(["--explain", "NAN101", "--output-format", "json"]) == CLEAN
    assert json.loads(capsys.readouterr().out)["name"] == "log-of-softmax"


def test_explain_of_a_family_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for word in ("NAN2", "nan2", "singularities"):
        assert main(["--explain", word]) == CLEAN
        shown.append(capsys.readouterr().out)
    assert len(set(shown)) == 1
    heading, *listed = shown[0].splitlines()
    assert heading == "singularities"
    assert [line[:4] for line in listed[:-2]] == ["NAN2"] * len(listed[:-2])
    assert listed[-1] == "`--explain NAN201` shows the page of a rule"
    assert main(["--explain", "NAN2", "--output-format", "json"]) == CLEAN
    assert len(json.loads(capsys.readouterr().out)) == len(listed[:-2])
    assert main(["--explain", "NAN"]) == CLEAN
    assert {"compositions", "masks", "tool"} <= set(capsys.readouterr().out.splitlines())


def test_list_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-rules"]) == CLEAN
    codes = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert codes == sorted(set(codes))
    assert {"NAN101", "NAN901"} <= set(codes)
    assert main(["--list-rules", "--output-format", "json"]) == CLEAN
    assert [rule["code"] for rule in json.loads(capsys.readouterr().out)] == codes


def test_version_and_help(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--version"]) == CLEAN
    assert capsys.readouterr().out == f"mllint-nan {__version__}\n"
    assert main(["--help"]) == CLEAN
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 66
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_start_up_imports_no_parser(option: str) -> None:
    code = (
        "import sys; from mllint_nan.cli import main; main([sys.argv[1]]);"
        "sys.exit(any(name in sys.modules for name in ('libcst', 'mllint_nan.linter')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, option], env=ENVIRONMENT, capture_output=True, check=False
    )
    assert done.returncode == 0


def test_closed_reader_is_no_error() -> None:
    plant(a=BAD)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND], stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
    )
    os.close(write)
    assert done.returncode == FINDINGS
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_full_disk_is_one_line() -> None:
    plant(a=BAD)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "-q"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
        )
    assert done.returncode == ERROR
    assert done.stderr == b"mllint-nan: error: No space left on device\n"


def _other_end(pipe: str, process: subprocess.Popen[bytes]) -> int:
    """Of a named pipe, once a process has opened it."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads it yet
            time.sleep(0.01)
    pytest.fail(f"it has ended: {process.communicate()[1]!r}")


@pytest.mark.posix
def test_interrupt_is_one_line() -> None:
    os.mkfifo("slow.py")
    process = subprocess.Popen(
        [*COMMAND, "slow.py"],
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        # Where the tests run in the background, the signal is ignored by all that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with os.fdopen(_other_end("slow.py", process), "wb"):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert err == b"mllint-nan: interrupted\n"


@pytest.mark.posix
def test_interrupt_leaves_no_process_and_no_half_written_file() -> None:
    plant(**{f"m{number:02}": BAD for number in range(40)})
    os.mkfifo("z.py")
    process = subprocess.Popen(
        [*COMMAND, "--fix", "--jobs", "2", ".", "z.py"],
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with open("z.py", "wb"):  # returns once a worker has opened the other end
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert err.endswith(b"mllint-nan: interrupted\n") and b"Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    written = {path.read_text() for path in Path().glob("m*.py")}
    assert written <= {BAD, GOOD}
    assert not list(Path().glob(".mllint-nan-*"))


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_workers_end_with_the_command_even_if_it_alone_is_told(name: str) -> None:
    kind = signal.Signals[name]
    plant(**{f"m{number:02}": BAD for number in range(40)})
    os.mkfifo("z.py")
    process = subprocess.Popen(
        [*COMMAND, "--quiet", "--jobs", "3", ".", "z.py"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with open("z.py", "wb"):  # returns once a worker has opened the other end, and keeps it there
        process.send_signal(kind)
        assert process.wait(timeout=60) == (INTERRUPTED if kind == signal.SIGINT else -kind)
        _wait_until_gone(process.pid)


def _wait_until_gone(group: int) -> None:
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(group, signal.SIGKILL)
    raise AssertionError("a worker is left")


@pytest.mark.posix
def test_interrupt_leaves_the_output_file_as_it_was() -> None:
    plant(a=BAD)
    os.mkfifo("z.py")
    Path("old.json").write_text("[]")
    for name in ("old.json", "new.json"):
        process = subprocess.Popen(
            [*COMMAND, "--output-format", "json-lines", "-o", name, "a.py", "z.py"],
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        with open("z.py", "wb"):
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert process.returncode == INTERRUPTED
    assert Path("old.json").read_text() == "[]"
    assert not Path("new.json").exists()


def test_path_that_is_not_utf8_is_shown() -> None:
    name = b"caf\xe9.py"
    with open(name, "wb") as file:
        file.write(BAD.encode())
    assert run("-q").stdout.startswith(name + b":4:12: NAN101")


def test_main_reads_a_stream_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert main(["-"]) == FINDINGS


def test_a_project_that_is_too_large_to_look_at_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mllint_nan.project_files._FILES_MOST", 2)
    (tmp_path / "pyproject.toml").touch()
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text("import torch\n")
    path = str(tmp_path / "a.py")
    assert main([path, "--no-cache", "--output-format", "json"]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == "[]"
    assert "too large to read as a whole" in told.err
    assert main([path, "--no-cache", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
