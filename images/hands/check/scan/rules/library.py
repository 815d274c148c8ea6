"""Rules about changing the library, which the tests measure and compare with."""

from check.scan.rules.rule import forges, smells

# Documented places for a program's own value: nothing is measured or compared by them.
MEANT_TO_BE_SET = {
    *["sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.path", "sys.ps1", "sys.ps2", "sys.tracebacklimit"],
    *["sys.dont_write_bytecode", "sys.displayhook", "sys.excepthook", "threading.excepthook"],
    *["logging.raiseExceptions", "logging.lastResort", "logging.Formatter.converter", "logging.logThreads"],
    *["logging.logProcesses", "logging.logMultiprocessing", "logging.Formatter.default_msec_format"],
    *["logging.Formatter.default_time_format", "warnings.showwarning", "warnings.formatwarning", "tempfile.tempdir"],
    *["logging.root.*", "sys.stdout.*", "sys.stderr.*", "sys.stdin.*"],
    *["ssl._create_default_https_context", "socketserver.TCPServer.allow_reuse_address", "readline.parse_and_bind"],
    *["socketserver.ThreadingMixIn.daemon_threads", "http.server.HTTPServer.allow_reuse_address"],
    *["csv.QUOTE_MINIMAL", "xml.etree.ElementTree._namespace_map", "decimal.DefaultContext.prec", "cmd.Cmd.prompt"],
}

LIBRARY_RULES = (
    forges(
        "patches_library",
        {"store": ("<library>",)},
        "changes the library for everyone, and the tests compare and measure with it",
        named_by=("<name>",),
    ),
    smells(
        "adds_to_library",
        {"store": ("<added>",)},
        "adds to the library for everyone, the tests too",
        named_by=("<name>",),
    ),
)
