"""Times the questions of test/engines over a dataset of several writers with DuckDB. Usage: dataset-questions.py DATASET"""

import json
import pathlib
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../test/engines"))
import duckdb  # noqa: E402
import engines  # noqa: E402

db = duckdb.connect(config={"memory_limit": "4GB", "threads": 2})
begun = time.monotonic()
for statement in engines.views(f"{sys.argv[1]}/"):
    # The same session in two people's files is two sessions.
    db.execute(statement.replace("FROM dataset('", "SELECT * REPLACE (writer || session AS session) FROM dataset('")
               if any(f"dataset('{name}')" in statement for name in ("entries", "tool_calls", "sessions", "evidence", "episodes", "usage"))
               else statement)
print(json.dumps({"views_s": round(time.monotonic() - begun, 2)}))
total = 0.0
for name, sql in engines.questions().items():
    begun, spent = time.monotonic(), time.process_time()
    rows = db.execute(sql.replace("e.lesson = l.id", "e.lesson = l.id AND e.writer = l.writer").replace("l.id = u.id", "l.id = u.id AND l.writer = u.writer")).fetchall()
    seconds = time.monotonic() - begun
    total += seconds
    print(json.dumps({"question": name[:60], "seconds": round(seconds, 2), "cpu_s": round(time.process_time() - spent, 2), "rows": len(rows)}), flush=True)
print(json.dumps({"all_s": round(total, 2), "cpu_s": round(time.process_time(), 2), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
