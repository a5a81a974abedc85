"""A person at a terminal: a folder named as people name theirs, and commands in processes of their own."""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time

from installs import BIN

WAIT_S = 60  # for what must happen


@contextlib.contextmanager
def person_in(folder, commands):
    """Yield a person in a new folder within `folder`; the processes they leave running are killed at the end.

    commands : the folder of the commands `masume` and `python` that the person uses.
    """
    own = folder / "作業 1"
    own.mkdir()
    found = Person(commands, own)
    try:
        yield found
    finally:
        for running in found.running:
            running.kill()


class Person:
    """A person at a terminal: a folder, and commands typed there."""

    def __init__(self, commands, folder):
        self.commands, self.folder, self.running = commands, folder, []
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("MASUME_")}
        self.environment.pop("PYTHONPATH", None)
        # node, which the tests bring, is at the end
        self.environment["PATH"] = os.pathsep.join([str(commands), os.environ["PATH"], str(BIN)])
        self.environment["LC_ALL"] = "C.UTF-8"

    def run(self, *words, code=0, text=None, **more):
        """Run a command to its end, and return (standard output, standard error); `code` is the exit code it has."""
        words = [str(word) for word in words]
        options = {"cwd": self.folder, "env": self.environment, "capture_output": True, "encoding": "utf-8"} | more
        ended = subprocess.run(words, input=text, timeout=300, **options)
        shown = f"$ {' '.join(words)}\n{ended.stdout}{ended.stderr}"
        assert ended.returncode == code, f"exit code {ended.returncode}\n{shown}"
        assert "Traceback" not in ended.stderr, shown
        return ended.stdout, ended.stderr

    def start(self, *words, **more):
        """Start a command that goes on, and return it as a Running."""
        options = {"cwd": self.folder, "env": self.environment} | more
        self.running.append(Running([str(word) for word in words], options))
        return self.running[-1]

    def write(self, name, text):
        """Write a file into the folder, and return its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Running:
    """A command that goes on. `shown` is what a person has seen of it, both streams in one."""

    def __init__(self, words, options):
        self.words, self.lines, self._said = words, [], threading.Condition()
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(words, encoding="utf-8", errors="replace", **pipes | options)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with self.process.stdout:
            for line in self.process.stdout:
                with self._said:
                    self.lines.append(line)
                    self._said.notify_all()
        with self._said:
            self.lines.append("")
            self._said.notify_all()

    @property
    def shown(self):
        return "".join(self.lines)

    def wait_for(self, pattern, timeout=WAIT_S):
        """Return the match of a pattern once it is on the screen; fails when the command ends without it."""
        end = time.monotonic() + timeout
        with self._said:
            while not (found := re.search(pattern, self.shown)):
                gone = self.lines[-1:] == [""]
                waited = not gone and self._said.wait(end - time.monotonic())
                assert waited, f"no {pattern!r} from {' '.join(self.words)}:\n{self.shown}"
        return found

    def stop(self, how=signal.SIGINT):
        """Stop it by a signal (Ctrl-C by default), and return its exit code."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self):
        """Return the exit code, once it has ended by itself."""
        code = self.process.wait(timeout=WAIT_S)
        self._reader.join(timeout=WAIT_S)
        return code

    def kill(self):
        """End it, however it goes."""
        self.process.kill()
        self.wait()
