"""The command line: `grassmeans COMMAND ...`; which module has which command."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from grassmeans.cli.change import change
from grassmeans.cli.collocates import collocates
from grassmeans.cli.copies import compact, convert, copy
from grassmeans.cli.demo import demo
from grassmeans.cli.encoder import encoder
from grassmeans.cli.evaluate import evaluate, reliability, score
from grassmeans.cli.induce import induce
from grassmeans.cli.info import info
from grassmeans.cli.ingest import ingest, phrases
from grassmeans.cli.label import export, label
from grassmeans.cli.model import model
from grassmeans.cli.show import show
from grassmeans.cli.tag import tag
from grassmeans.cli.update import update
from grassmeans.cli.vectors import lexemes, similar, vectors
from grassmeans.errors import GrassmeansError, GrassmeansWarning, InputError
from grassmeans.plugins import COMMANDS, CommandPanel, find_plugins, load_plugin
from grassmeans.terminal.options import (
    READ,
    check_places,
    complete_commands,
    find_places,
    spread_groups,
)
from grassmeans.terminal.output import describe_os_error, give_up_output, note, open_streams
from grassmeans.version import __version__

_PROGRAM = "grassmeans"
# What other distributions are called by people and by pip, for those who have not installed them.
_ADDED = dict.fromkeys(
    (
        *("explore", "serve", "merge", "query", "sample", "ngrams", "keywords", "sketch"),
        *("annotate-grammar", "annotation", "entries"),
    ),
    ("the explorer", "explorer"),
)
_ADDED |= dict.fromkeys(
    ("reproduce", "compare", "iterate", "wordnet", "build-dataset"), ("the laboratory", "lab")
)


class _Commands(TyperGroup):
    """The commands that there are; of others that there could be it is told who has them."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in _ADDED and args[0] not in self.commands:
            title, name = _ADDED[args[0]]
            raise InputError(
                f"{title} is not installed: pip install grassmeans-{name} "
                f"(in a clone: pip install ./packages/{name})"
            )
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"grassmeans {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Find the senses of words in raw text, with no dictionary and no labels.

    Three commands from text to senses:

    [bold]grassmeans ingest[/] books.txt -o corpus

    [bold]grassmeans vectors[/] corpus -o vectors

    [bold]grassmeans induce[/] corpus vectors -o model --word crane --senses 2

    Then look with [bold]grassmeans show[/] model crane, and find the senses in new text with
    [bold]grassmeans tag[/] model. See it all at work first: [bold]grassmeans demo[/].
    """


_received = [signal.SIGINT]


class _InterruptError(Exception):
    """Ctrl-C; of our own, because each Typer release answers the interpreter's in its own way."""


def _goes_on(command: Callable[..., None]) -> bool:
    """Whether what a command made is kept when it is stopped: not what it only prints."""
    return any(place is not READ for place in find_places(command).values())


class _ReaderGoneError(Exception):
    """Standard output was closed by its reader (`head`, say)."""


def _register(panel: CommandPanel) -> None:
    """Add commands to the help's panel, by themselves or in a group of commands."""
    place = app
    if panel.group is not None:
        place = typer.Typer(no_args_is_help=True, help=panel.about)
        app.add_typer(place, name=panel.group, rich_help_panel=panel.title)
    for command in panel.commands:
        place.command(rich_help_panel=panel.title)(_watch(spread_groups(command)))


def _register_added() -> None:
    """Add the commands of other distributions; one that cannot be loaded is told, and left."""
    for name in find_plugins(COMMANDS):
        try:
            panels = load_plugin(COMMANDS, name)
        except Exception as error:  # another distribution's affair: ours still work
            _complain(f"the commands of {name!r} cannot be loaded: {error}")
            continue
        for panel in panels:
            _register(panel)


def _watch(command: Callable[..., None]) -> Callable[..., None]:
    """Check what a command reads and writes; tell `run` in our own words when it was stopped."""

    @functools.wraps(command)
    def run_command(*arguments: Any, **options: Any) -> None:
        try:
            check_places(command, options)
            with _tell_warnings():
                command(*arguments, **options)
            sys.stdout.flush()
        except KeyboardInterrupt:
            raise _InterruptError(_goes_on(command)) from None
        except BrokenPipeError:
            raise _ReaderGoneError from None
        except Exception as error:
            if _came_of_a_stop(error):
                raise _InterruptError(_goes_on(command)) from None
            raise

    return run_command


def _came_of_a_stop(error: BaseException | None) -> bool:
    """Whether an error was raised while a stop was answered: joblib may fail to end its threads."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


_MAKE = (ingest, phrases, vectors, encoder, induce, model, update)
_USE = (show, collocates, tag, label, change, lexemes, similar, info, convert, compact, copy)
_JUDGE = (export, evaluate, reliability, score, demo)
_register(CommandPanel("From text to senses", _MAKE))
_register(CommandPanel("Use what was found", (*_USE, *_JUDGE)))


# The base of Typer's errors about arguments: some releases take it from click, some have their own.
_UsageError: Any = typer.BadParameter.__mro__[1]


def run() -> None:
    """Entry point: user's mistakes end with one line on standard error and exit code 2."""
    _silence_libraries()
    _hear_signals()
    open_streams()
    try:
        code = app(prog_name=_PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except _UsageError as error:
        message = error.format_message().rstrip(".")
        if message:  # without any argument the help itself was shown
            command = _PROGRAM if error.ctx is None else error.ctx.command_path
            _complain(f"{message}; see {command} --help")
        sys.exit(error.exit_code)
    except GrassmeansError as error:
        _complain(str(getattr(error, "strerror", None) or error))
        sys.exit(2)
    except (_ReaderGoneError, BrokenPipeError):
        give_up_output()  # nothing more is wanted
        sys.exit(0)
    except OSError as error:
        give_up_output()
        _complain(describe_os_error(error))
        sys.exit(2)
    except MemoryError:
        _complain("there is not enough memory: ask for smaller numbers, or take fewer words")
        sys.exit(2)
    except _InterruptError as stop:
        (goes_on,) = stop.args
        _complain("stopped" + "; the same command goes on from where it was" * goes_on)
        sys.exit(128 + _received[-1])


def _hear_signals() -> None:
    """Let whoever ends a command by a signal have what Ctrl-C has: what it began ends with it."""

    def stop(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second one does not wait for anything
        _received.append(signal.Signals(number))
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not every system has both
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores it
            with contextlib.suppress(ValueError):  # not the main thread: then it is not our process
                signal.signal(number, stop)


def _silence_libraries() -> None:
    """Keep libraries' warnings, which tell a user nothing, to those who ask Python for them."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        os.environ["PYTHONWARNINGS"] = "ignore"  # for worker processes


@contextlib.contextmanager
def _tell_warnings() -> Iterator[None]:
    """What the library itself warns of is a remark of the command."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", GrassmeansWarning)
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, GrassmeansWarning):
                note(str(message))
            else:
                show(message, category, *place, **more)

        warnings.showwarning = tell
        yield


def _complain(message: str) -> None:
    note(f"{_PROGRAM}: {message}", style="bold red")


_register_added()
complete_commands(app)
