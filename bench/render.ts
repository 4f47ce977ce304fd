/**
 * How long the files of a project with many lessons take to render: context.md alone, then with detail/. Usage: tsx
 * bench/render.ts [LESSONS = 10000]
 */
import { DETAIL_FILES, renderContext, renderDetail, type DetailFile } from '../src/context/index.js';
import { input, lesson } from '../test/context/build.js';

const count = Number(process.argv[2] ?? 10_000);
const words = ['queue', 'retry', 'cache', 'index', 'worker', 'token', 'schema', 'route', 'lock', 'batch'];
const lessons = Array.from({ length: count }, (_, i) =>
  lesson(i, {
    text: `The ${words[i % 10]} of module ${i} needs \`${words[(i * 7) % 10]}-${i}\` before ${words[(i * 3) % 10]} starts`,
    confidence: ((i * 37) % 100) / 100,
    files: [`src/${words[i % 10]}/f${i}.ts`],
  }),
);

for (let round = 0; round < 3; round++) {
  const begun = performance.now();
  renderContext(input({ lessons }));
  const context = performance.now() - begun;
  for (const file of Object.keys(DETAIL_FILES) as DetailFile[]) renderDetail(file, lessons);
  console.log(`${count} lessons: context.md ${context.toFixed(0)} ms, with detail/ ${(performance.now() - begun).toFixed(0)} ms`);
}
