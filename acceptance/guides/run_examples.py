"""Runs examples, each in a process of its own that has the SDKs already: importing them takes a second.

Standard input has {"place": folder, "code": text} on each line; the answers are {"exitCode": number, "output": text}.
"""

import json
import os
import sys
import tempfile
import traceback

import anthropic  # noqa: F401
import openai  # noqa: F401


def run(place: str, code: str) -> int:
    os.chdir(place)
    try:
        exec(compile(code, "example.py", "exec"), {"__name__": "__main__"})
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1


for line in sys.stdin:
    example = json.loads(line)
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            exit_code = run(example["place"], example["code"])
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(exit_code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        answer = {"exitCode": os.waitstatus_to_exitcode(status), "output": output.read().decode()}
    print(json.dumps(answer), flush=True)
