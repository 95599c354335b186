"""OpenStack Swift with its S3 door, for the tests: python3 s3-server.py FOLDER ACCESS_KEY SECRET_KEY

The real proxy, account, container and object servers, in one process. Makes its rings and settings in FOLDER, listens on free
ports of the loopback address and prints the port of the S3 door. Ends with its standard input, and FOLDER goes with it.
Exit code 3: the file system of FOLDER keeps no extended attributes, and Swift's objects need them.
"""

import os
import shutil
import sys

from swift.common import utils, wsgi
from swift.common.ring import RingBuilder

utils.eventlet_monkey_patch()

import eventlet  # noqa: E402
import eventlet.tpool  # noqa: E402
import eventlet.wsgi  # noqa: E402

SERVER = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""

PROXY = """
[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors s3api tempauth proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_{key} = {secret} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_interval = 1
"""

HASH = "[swift-hash]\nswift_hash_path_suffix = crosswalk\n[storage-policy:0]\nname = tests\ndefault = yes\n"


class Cache:
    """What Swift wants of a memcached, for one process."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.values[key] = self.values.get(key, 0) + int(delta)
        return self.values[key]


def write(file, text):
    with open(file, "w") as handle:
        handle.write(text)


def require_attributes(folder):
    try:
        os.setxattr(folder, "user.crosswalk", b"x" * 2048)
    except OSError:
        sys.exit(3)


def make_ring(folder, kind, port):
    builder = RingBuilder(2, 1, 0)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "d1", "weight": 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, kind + ".ring.gz"))


def serve(folder, kind, listener, text):
    file = os.path.join(folder, kind + ".conf")
    write(file, text)
    app = wsgi.loadapp(file)
    cache = Cache()

    def cached(env, start_response):
        env["swift.cache"] = cache
        return app(env, start_response)

    eventlet.spawn(eventlet.wsgi.server, listener, cached, open(os.devnull, "w"), protocol=wsgi.SwiftHttpProtocol)


def main(folder, key, secret):
    device = os.path.join(folder, "devices", "d1")
    os.makedirs(device)
    require_attributes(device)
    write(os.path.join(folder, "swift.conf"), HASH)
    utils.set_swift_dir(folder)
    utils.validate_configuration()
    listeners = {}
    for kind in ("account", "container", "object"):
        listeners[kind] = eventlet.listen(("127.0.0.1", 0))
        make_ring(folder, kind, listeners[kind].getsockname()[1])
    for kind, listener in listeners.items():
        serve(folder, kind, listener, SERVER.format(folder=folder, kind=kind))
    door = eventlet.listen(("127.0.0.1", 0))
    serve(folder, "proxy", door, PROXY.format(folder=folder, key=key.replace(":", "_"), secret=secret))
    print(door.getsockname()[1], flush=True)
    while eventlet.tpool.execute(sys.stdin.read, 1):
        pass
    # Also where the tests were killed.
    shutil.rmtree(folder, ignore_errors=True)


main(*sys.argv[1:])
