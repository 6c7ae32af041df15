"""Wheels and source archives of all distributions: built, looked through, tried.

    make artifacts

They lie in `dist/` then. Installed into an empty environment, without the repository, the program
shows its version, finds the senses of its demonstration and tags a sentence with the English model;
some tests of the source archive are run. `TESTS=all` runs all that are not marked `system`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
MODELS = ("en", "es", "de")
PACKAGES = [ROOT, *(ROOT / "packages" / name for name in (*MODELS, "explorer", "lab"))]
MOST_BYTES = {f"grassmeans_{model}": 60_000_000 for model in MODELS}
_OTHERS = 3_000_000
_PLACEHOLDER = "https://example.org/"
SENTENCE = "She asked the bank for a loan. Then we sat on the bank of the river."
QUICK_TESTS = (
    "unit/text",
    "unit/geometry",
    "unit/models/test_earlier_models.py",
    "unit/test_mirror.py",
)


def main() -> None:
    """Build, look, try."""
    started = time.monotonic()
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("grassmeans*"):
        old.unlink()
    for package in PACKAGES:
        run(sys.executable, "-m", "build", "--quiet", "--outdir", DIST, package)
    made = sorted(DIST.glob("grassmeans*"))
    run(sys.executable, "-m", "twine", "check", "--strict", *made)
    for path in made:
        look_at(path)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
    if told.startswith(_PLACEHOLDER):
        print(f"not to be published: {told} is no address yet (make address ADDRESS=...)")
    with tempfile.TemporaryDirectory() as folder:
        try_out(Path(folder), made)
    print(f"all of it took {time.monotonic() - started:.0f} s")


def run(*command: object, **where: object) -> None:
    """Run a command, and end with it where it fails."""
    done = subprocess.run([str(part) for part in command], check=False, **where)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")


def look_at(path: Path) -> None:
    """Print the size of an archive; end where it lacks something, or holds too much."""
    size, name = path.stat().st_size, path.name.split("-")[0]
    print(f"{path.name}: {size:,} bytes")
    if size > MOST_BYTES.get(name, _OTHERS):
        raise SystemExit(
            f"{path.name} has {size:,} bytes: more than {MOST_BYTES.get(name, _OTHERS):,}"
        )
    names = list_names(path)
    for wanted in ("LICENSE", "NOTICE"):
        if not any(one.endswith(f"/{wanted}") for one in names):
            raise SystemExit(f"{path.name} has no {wanted}")
    for unwanted in ("__pycache__", ".nbi", ".nbc", ".DS_Store"):
        if found := [one for one in names if unwanted in one]:
            raise SystemExit(f"{path.name} holds {found[0]}")


def list_names(path: Path) -> list[str]:
    """The names of what an archive holds."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as archive:
        return archive.getnames()


def try_out(folder: Path, made: list[Path]) -> None:
    """Install the wheels where nothing else is, and use them far from the repository."""
    venv.create(folder / "empty", with_pip=True)
    programs = folder / "empty" / ("Scripts" if os.name == "nt" else "bin")
    wheels = [path for path in made if path.suffix == ".whl"]
    run(
        programs / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        *wheels,
        "pytest",
        "hypothesis",
        "packaging",
    )
    away = {"cwd": folder, "env": {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}}
    grassmeans = programs / "grassmeans"
    run(grassmeans, "--version", **away)
    run(grassmeans, "demo", "-o", folder / "demo", **away, stdout=subprocess.DEVNULL)
    run(grassmeans, "tag", "en", "--word", "bank", **away, input=SENTENCE.encode())
    for command in ("explore", "compare"):  # of the other two
        run(grassmeans, command, "--help", **away, stdout=subprocess.DEVNULL)
    (archive,) = (
        path for path in made if path.name.startswith("grassmeans-") and path.suffix == ".gz"
    )
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    tests = folder / archive.name.removesuffix(".tar.gz") / "tests"
    chosen = [tests] if os.environ.get("TESTS") == "all" else [tests / name for name in QUICK_TESTS]
    run(programs / "python", "-m", "pytest", "-q", "-m", "not system", *chosen, **away)


if __name__ == "__main__":
    main()
