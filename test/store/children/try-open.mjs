// Says whether the file can be opened by another process right now.
import { DuckDBInstance } from '@duckdb/node-api';

const [path, mode, sql] = process.argv.slice(2);
try {
  const instance = await DuckDBInstance.create(path, { access_mode: mode });
  const connection = await instance.connect();
  const rows = await (await connection.run(sql ?? 'SELECT 1 AS one')).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  console.log(`open ${JSON.stringify(rows)}`);
} catch (error) {
  console.log(`refused ${error.message.split('\n')[0]}`);
}
