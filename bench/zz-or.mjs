import { DuckDBInstance } from '@duckdb/node-api';
const db=await DuckDBInstance.create('/tmp/h1/.dripstone/memory.duckdb',{access_mode:'READ_ONLY',threads:'1'}); const c=await db.connect();
for (const k of [300,700,950]) { const ns=Array.from({length:k},(_,i)=>5000+2*i); const w=`n BETWEEN 5000 AND ${ns.at(-1)} AND (${ns.map(n=>`n BETWEEN ${n} AND ${n}`).join(' OR ')})`; const b=performance.now(); const r=await c.runAndReadAll(`SELECT n,text FROM own.texts WHERE ${w}`); console.log(k,r.currentRowCount,performance.now()-b);
 const b2=performance.now(); await c.runAndReadAll(`SELECT n,text FROM own.texts WHERE n BETWEEN 5000 AND ${ns.at(-1)} AND n IN (${ns.join(',')})`); console.log('list',performance.now()-b2)}
