"""The connection through the fault proxy, as for the tests of reading without faults."""

from tests.aws.conftest import calls, catalog, clients, connection, meter, proxy, raw, reader, waits

__all__ = ["calls", "catalog", "clients", "connection", "meter", "proxy", "raw", "reader", "waits"]
