"""A Redfish service over HTTPS, by Python's own HTTP server and OpenSSL: service.py PORT CERTIFICATE KEY TREE PASSWORD_FILE

TREE is a JSON file of resources by path. User "bench"; basic authentication or a session. Below /odd it misbehaves.
"""
import base64
import http.server
import json
import ssl
import sys
import time

port, certificate, key, tree_file, password_file = sys.argv[1:]
tree = json.load(open(tree_file))
password = open(password_file).readline().strip()
basic = "Basic " + base64.b64encode(f"bench:{password}".encode()).decode()
sessions = {}
SESSIONS = "/redfish/v1/SessionService/Sessions"


def complaint(text):
    return {"error": {"code": "Base.1.8.GeneralError", "@Message.ExtendedInfo": [{"Message": text}]}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, body=None, headers=()):
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def known(self):
        if self.headers.get("Authorization") == basic or self.headers.get("X-Auth-Token") in sessions:
            return True
        self.answer(401, complaint("The credentials are not valid."))
        return False

    def do_GET(self):
        if self.path == "/odd/sessions":
            return self.answer(200, {"open": len(sessions)})
        if self.path == "/odd/forget":
            sessions.clear()
            return self.answer(200, {})
        if self.path == "/odd/hang":
            time.sleep(60)
        if self.path == "/odd/elsewhere":
            return self.answer(302, None, [("Location", f"https://localhost:{port}/redfish/v1/Systems/1")])
        if not self.known():
            return None
        if self.path == "/odd/here":
            return self.answer(308, None, [("Location", "/redfish/v1/Chassis/1U/Sensors/Inlet")])
        if self.path == "/odd/circle":
            return self.answer(307, None, [("Location", "/odd/circle")])
        if self.path == "/odd/huge":
            return self.answer(200, b'{"x": "' + b"x" * (5 << 20) + b'"}')
        if self.path == "/odd/page":
            return self.answer(200, b"<html>Welcome</html>")
        if self.path == "/odd/busy":
            return self.answer(503, complaint("The service is starting."))
        if self.path == "/odd/echo":
            return self.answer(500, complaint(f"bad password {password}"))
        if self.path not in tree:
            return self.answer(404, complaint(f"There is no {self.path}."))
        return self.answer(200, tree[self.path])

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == SESSIONS:
            if body != {"UserName": "bench", "Password": password}:
                return self.answer(401, complaint("The credentials are not valid."))
            number = len(sessions) + 1
            token = f"token-{number}-{time.monotonic_ns()}"
            sessions[token] = f"{SESSIONS}/{number}"
            return self.answer(201, {}, [("X-Auth-Token", token), ("Location", sessions[token])])
        if not self.known():
            return None
        what, _, action = self.path.partition("/Actions/")
        if action == "ComputerSystem.Reset" and body.get("ResetType") in ("On", "ForceOff"):
            tree[what]["PowerState"] = "On" if body["ResetType"] == "On" else "Off"
        elif action == "Outlet.PowerControl" and body.get("PowerState") in ("On", "Off"):
            if not what.endswith("/B1"):  # whose relay is stuck
                tree[what]["PowerState"] = body["PowerState"]
        else:
            return self.answer(400, complaint(f"{self.path} cannot do {body}."))
        return self.answer(204)

    def do_DELETE(self):
        for token, path in list(sessions.items()):
            if path == self.path and self.known():
                del sessions[token]
                return self.answer(204)
        return self.answer(404, complaint("no such session"))

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that refuses the certificate


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server = Server(("127.0.0.1", int(port)), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
