"""The HTTP interface of ClickHouse over chdb, which is ClickHouse's engine in a library: statements and inserts of Parquet files.

Usage: clickhouse.py PORT FOLDER. The user is `exporter` with the password `canary-password`.
"""

import os
import re
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import session

port, folder = int(sys.argv[1]), sys.argv[2]
engine = session.Session(folder)
INSERT = re.compile(r"^\s*INSERT INTO (?P<table>\S+)\s*\((?P<columns>[^)]*)\)\s*FORMAT Parquet\s*$", re.IGNORECASE)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        url = urlsplit(self.path)
        wanted = {name: values[0] for name, values in parse_qs(url.query).items()}
        body = self.body()
        if self.headers.get("authorization") != "Basic ZXhwb3J0ZXI6Y2FuYXJ5LXBhc3N3b3Jk":
            return self.answer(403, b"Code: 516. DB::Exception: exporter: Authentication failed. (AUTHENTICATION_FAILED)", "516")
        try:
            self.answer(200, self.run(wanted, body))
        except Exception as error:  # The engine's own message is the answer.
            code = re.search(r"Code: (\d+)", str(error))
            self.answer(400, str(error).encode(), code.group(1) if code else "1")

    def run(self, wanted, body):
        database = wanted.get("database", "default")
        insert = INSERT.match(wanted.get("query", ""))
        if insert is None:
            statement = wanted.get("query") or body.decode()
            engine.query(f"USE {database}")
            found = re.search(r"FORMAT (\w+)\s*;?\s*$", statement, re.IGNORECASE)
            return engine.query(statement, found.group(1) if found else "TabSeparated").bytes()
        token = wanted.get("insert_deduplication_token")
        with tempfile.NamedTemporaryFile(suffix=".parquet", delete=False) as file:
            file.write(body)
        try:
            columns = insert["columns"]
            engine.query(
                f"INSERT INTO {database}.{insert['table']} ({columns})"
                f" SETTINGS insert_deduplication_token = '{token}', insert_deduplicate = 1"
                f" SELECT {columns} FROM file('{file.name}', Parquet)"
            )
        finally:
            os.unlink(file.name)
        return b""

    def body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status, body, code=None):
        self.send_response(status)
        if code is not None:
            self.send_header("x-clickhouse-exception-code", code)
        else:
            self.send_header("x-clickhouse-summary", "{}")
        self.send_header("content-type", "text/plain")
        # One connection after the other, since the engine has one session.
        self.send_header("connection", "close")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


engine.query("CREATE DATABASE IF NOT EXISTS default")
HTTPServer(("127.0.0.1", port), Handler).serve_forever()
