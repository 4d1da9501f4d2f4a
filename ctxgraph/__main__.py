"""The command line: rows and a summary without a notebook."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import VOCABULARY, ConversationError, read_conversations
from ctxgraph.memories import MEMORIES, select
from ctxgraph.tables import results_table


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 where all went well, 1 for bad data, 2 for bad usage.

    130, as a shell has it, where it was interrupted.
    """
    options = _parser().parse_args(arguments)
    code = 1
    try:
        options.command(options)
        sys.stdout.flush()
        return 0
    except ConversationError as error:
        problem = str(error)
    except BrokenPipeError:  # whoever read the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        problem = f"{error.filename or 'output'}: {error.strerror}"
    except KeyboardInterrupt:
        problem, code = "interrupted", 130
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in problem)
    print(f"ctxgraph: {shown}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ctxgraph", description=sys.modules["ctxgraph"].__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("run", help="run memories over conversations")
    command.set_defaults(command=_run)
    command.add_argument("path", type=Path, help="a .jsonl file, or a folder of them")
    command.add_argument(
        "--memories", nargs="+", metavar="NAME", choices=list(MEMORIES), help="default: all"
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="write the tidy rows as CSV")
    command = commands.add_parser("memories", help="list the memories there are")
    command.set_defaults(command=_list)
    return parser


def _run(options: argparse.Namespace) -> None:
    conversations = read_conversations(options.path)
    if options.out:
        _prepare(options.out, options.path)
    rows = run(conversations, select(options.memories))
    if rows.empty:
        raise ConversationError(f"{options.path}: no turn asks a question")
    print(results_table(summarize(rows)).to_string())
    if options.out:
        with options.out.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            rows.to_csv(file, index=False, lineterminator="\n")


def _prepare(out: Path, source: Path) -> None:
    """Find out before the work whether its rows can be written, over no conversation."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".jsonl" or out.name == VOCABULARY or (out.exists() and out.samefile(source)):
        raise ConversationError(f"{out}: is, or is named like, a conversation; name another file")
    if out.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(out))


def _list(options: argparse.Namespace) -> None:
    print("\n".join(MEMORIES))


if __name__ == "__main__":
    sys.exit(main())
