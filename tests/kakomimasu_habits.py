"""What stands between a guest and a match server: answers that are lost, late, or of another program, each a switch."""

import dataclasses
import http.client
import http.server
import json
import threading


@dataclasses.dataclass(frozen=True)
class Habits:
    """What happens to requests about a running match.

    every : of the requests, each so manyth. cut : it is done, and its answer is lost. status : it is answered by this
    status, with a page. strange : a tile of the answer belongs to nobody who plays.
    """

    every: int = 3
    cut: bool = False
    status: int = 0
    strange: bool = False


HABITS = {
    "lost": Habits(cut=True),
    "busy": Habits(status=429),
    "gateway": Habits(status=502),  # a server behind another one, while it is started again
    "strange": Habits(strange=True),
}


class Between:
    """A server on the port `port` that passes requests on to that of a match server, with a habit."""

    def __init__(self, habits, port):
        self.habits, self._target, self.count = habits, port, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_any(self):
                outer.handle(self)

            do_GET = do_POST = do_PATCH = handle_any  # noqa: N815 - the names of the library

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def handle(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        is_struck = False
        if request.command != "POST":
            self.count += 1
            is_struck = self.count % self.habits.every == 0
        if is_struck and self.habits.status:
            self._answer(request, self.habits.status, b"<html>", {})
            return
        link = http.client.HTTPConnection("127.0.0.1", self._target)
        link.request(request.command, request.path, body or None, dict(request.headers))
        reply = link.getresponse()
        data = reply.read()
        link.close()
        if is_struck and self.habits.cut:
            request.close_connection = True
            return
        if is_struck and self.habits.strange and b'"gaming"' in data:
            found = json.loads(data)
            found["field"]["tiles"][0] = {"type": 1, "player": 7}
            data = json.dumps(found).encode()
        self._answer(request, reply.status, data, {"Date": reply.headers["Date"]})

    def _answer(self, request, status, data, headers):
        request.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data)
