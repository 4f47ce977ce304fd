import { DuckDBInstance } from '@duckdb/node-api';
const db=await DuckDBInstance.create('/tmp/h1/.dripstone/memory.duckdb',{access_mode:'READ_ONLY',threads:'1'}); const c=await db.connect();
const q=async(s)=>(await c.runAndReadAll(s)).getRowObjects();
console.log((await q("select sql from duckdb_views() where view_name='current_entries'"))[0]);
const days=await q("select agent,session,strftime(min(time),'%Y-%m-%d') d,min(n) a,max(n) b,count(*) k from own.entries group by 1,2 order by d");
const cols=(await q("select column_name from information_schema.columns where table_name='current_entries' and column_name not in ('text','n','length')")).map(r=>`e."${r.column_name}"`).join(', ');
const src=process.argv[2]??'IN';
for (let g=0;g<5;g++){ const part=days.slice(400+g*30,400+g*30+15);
 const ns=(await q(`select n from own.entries where (agent,session) in (${part.map(r=>`('${r.agent}','${r.session}')`).join(',')})`)).map(r=>Number(r.n)).sort((a,b)=>a-b);
 const list=ns.join(',');
 const runs=[];for(const n of ns){const l=runs.at(-1);if(l&&l[1]===n-1)l[1]=n;else runs.push([n,n])}
 const orr='('+runs.map(([a,b])=>a===b?`e.n=${a}`:`e.n BETWEEN ${a} AND ${b}`).join(' OR ')+')';console.log('runs',runs.length);
 for (const [name,w] of [['runs',orr],['between+runs',`e.n BETWEEN ${ns[0]} AND ${ns.at(-1)} AND ${orr}`],['in',`e.n IN (${list})`],['between+in',`e.n BETWEEN ${ns[0]} AND ${ns.at(-1)} AND e.n IN (${list})`]]){
  const b=performance.now(); const r=await c.run(`SELECT ${cols}, e.n FROM own.current_entries e WHERE ${w} ORDER BY e.path,e.seq,e.id`); const t1=performance.now()-b; 
  const b2=performance.now(); const p=await c.run(`EXPLAIN SELECT ${cols}, e.n FROM own.current_entries e WHERE ${w} ORDER BY e.path,e.seq,e.id`);const t2=performance.now()-b2;
  console.log(ns.length,ns.at(-1)-ns[0],name,t1.toFixed(0),'plan',t2.toFixed(0)); } }
