import { DuckDBInstance } from '@duckdb/node-api';
const db=await DuckDBInstance.create('/tmp/h1/.dripstone/memory.duckdb',{access_mode:'READ_ONLY',threads:'1'}); const c=await db.connect();
const t={};
for (let g=0;g<40;g++){ const base=5000+g*6000; 
 for (const [kind,pick] of [['few gaps',n=>n%100<95],['half',n=>(n*2654435761>>>3)%2===0],['tenth',n=>(n*2654435761>>>3)%10===0]]) {
 const ns=[];for(let n=base;n<base+1500;n++)if(pick(n))ns.push(n);
 const runs=[];for(const n of ns){const l=runs.at(-1);if(l&&l[1]===n-1)l[1]=n;else runs.push([n,n])}
 const hull=`n BETWEEN ${ns[0]} AND ${ns.at(-1)}`;
 const orr='('+runs.map(([a,b])=>a===b?`n=${a}`:`n BETWEEN ${a} AND ${b}`).join(' OR ')+')';
 for (const [name,w] of [['hull in',`${hull} AND n IN (${ns.join(',')})`],['hull runs',`${hull} AND ${orr}`],['hull only',hull]]){
  const b=performance.now(); await c.run(`SELECT n, text FROM own.texts WHERE ${w}`); const k=kind+' '+runs.length+' '+name; const kk=kind+' '+name; (t[kk]??=[]).push(performance.now()-b); } } }
for(const [k,v] of Object.entries(t)) {v.sort((a,b)=>a-b);console.log(k,v[20].toFixed(1),v[3].toFixed(1))}
