"""The command line: rows and a summary without a notebook."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import ConversationError, read_conversations
from ctxgraph.memories import MEMORIES, select
from ctxgraph.tables import results_table


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 where all went well, 1 for bad data, 2 for bad usage."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except ConversationError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}"
    print(f"ctxgraph: {problem}", file=sys.stderr)
    return 1


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


def _run(options: argparse.Namespace) -> int:
    conversations = read_conversations(options.path)
    rows = run(conversations, select(options.memories))
    if rows.empty:
        raise ConversationError(f"{options.path}: no turn asks a question")
    print(results_table(summarize(rows)).to_string())
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            rows.to_csv(file, index=False, lineterminator="\n")
    return 0


def _list(options: argparse.Namespace) -> int:
    print("\n".join(MEMORIES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
