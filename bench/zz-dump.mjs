import { DuckDBInstance } from '@duckdb/node-api'; import {createHash} from 'node:crypto';
const out={};
for (const p of process.argv.slice(2)) { const db=await DuckDBInstance.create(p,{access_mode:'READ_ONLY'}); const c=await db.connect();
 const t=(await c.runAndReadAll("select table_schema||'.'||table_name t from information_schema.tables where table_type='BASE TABLE' order by 1")).getRowObjects().map(r=>r.t);
 for(const x of t){ const rows=(await c.runAndReadAll(`select * from ${x}`)).getRowObjects().map(r=>JSON.stringify(r,(k,v)=>typeof v==='bigint'?String(v):v)).sort(); (out[x]??=[]).push([rows.length,createHash('md5').update(rows.join('\n')).digest('hex').slice(0,8)]);} }
for(const [k,v] of Object.entries(out)) console.log(k, JSON.stringify(v), v[0]?.[1]===v[1]?.[1]?'':'DIFF');
