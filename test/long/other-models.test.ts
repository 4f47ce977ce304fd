/** Another embedding model by config: its first vectors take the place of the others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compiledFile } from '../../src/place.js';
import { type Stage, setStage } from '../stage.js';
import { startVectorServer, status, type VectorServer } from '../embed/server.js';
import { answers, says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const SECRET = 'ghp_016C7mV6zTq1kY0bJtWcWcQv8NnRr2Xe5uLd';

/** A person's wish and so many answers. */
function staged(answersCount = 3): Stage {
  const stage = setStage({ config: '' });
  const texts = Array.from({ length: answersCount }, (_, i) =>
    answers(`Kettle ${i} boils in the cellar near shelf ${i}.`),
  );
  stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
    says('Always brew at noon.'),
    ...texts,
  ]);
  return stage;
}

function configure(stage: Stage, embed: Record<string, unknown> | null): void {
  mkdirSync(stage.stone, { recursive: true, mode: 0o700 });
  writeFileSync(join(stage.stone, 'config.yaml'), embed === null ? '' : JSON.stringify({ embed }));
}

function served(server: VectorServer): Record<string, unknown> {
  return { url: server.url, model: 'toy-e5' };
}

async function search(stage: Stage, query: string): Promise<{ mode: string; texts: string[] }> {
  const answer = (await stage.type('search', query, '--json', '--project', 'all')).json<{
    mode: string;
    hits: { text: string }[];
  }>();
  return { mode: answer.mode, texts: answer.hits.map(({ text }) => text) };
}

const USED = `SELECT fingerprint, count(*) AS count, min(len(vector)) AS length FROM vectors WHERE owner = 'entry' GROUP BY 1`;

describe('a server with /v1/embeddings', () => {
  test('its first vectors take the place of the shipped model’s; a server that fails changes nothing', async () => {
    const stage = staged();
    expect((await stage.type('run')).code).toBe(0);
    const [before] = await stage.rows<{ fingerprint: string; count: number }>(USED);
    expect(before).toMatchObject({
      fingerprint: expect.stringContaining('all-MiniLM-L6-v2:q8:') as string,
      length: 384,
    });
    const server = await startVectorServer(6);
    configure(stage, served(server));
    server.instead = status(401);
    await stage.type('run');
    expect(await stage.rows(USED)).toEqual([before]);
    expect(server.asked.length).toBeGreaterThan(0);
    expect((await search(stage, 'when should it be prepared')).mode).toBe('keyword');
    const told = (await stage.type('status')).out;
    expect(told).toMatch(/127\.0\.0\.1:\d+ answers 401/);
    expect((await stage.type('status', '--check')).out).toMatch(
      /FAIL embedding fails: .*answers 401.*\n.*\n?.*cure: .*embed\.url/,
    );

    server.instead = null;
    expect((await stage.type('run')).code).toBe(0);
    expect((await stage.type('status')).out).not.toContain('answers 401');
    const [after] = await stage.rows<{ fingerprint: string }>(USED);
    expect(after).toMatchObject({
      fingerprint: expect.stringMatching(/^toy-e5:endpoint:/) as string,
      count: 4,
      length: 6,
    });
    expect((await stage.rows('DESCRIBE SELECT vector FROM vectors')) as unknown).toMatchObject([
      { column_type: 'FLOAT[6]' },
    ]);
    const found = await search(stage, `kettle with ${SECRET}`);
    expect(found.mode).toBe('hybrid');
    expect(server.asked.at(-1)!.input[0]).toMatch(/^query: kettle with \[REDACTED:/);
    const near = await stage.type(
      'sql',
      '--vector',
      'q=Kettle 2 boils in the cellar near shelf 2.',
      "SELECT text FROM vectors WHERE owner = 'entry' ORDER BY array_cosine_similarity(vector, $q) DESC LIMIT 1",
    );
    expect(near.out).toContain('Kettle 2');
    const [entry] = await stage.rows<{ id: string }>(
      "SELECT id FROM entries WHERE text LIKE 'Kettle 0%'",
    );
    expect(
      await stage.rows(`SELECT text FROM semantic_neighbours('${entry!.id}', 2)`),
    ).toHaveLength(2);
    expect(existsSync(join(stage.stone, 'vectors.bin'))).toBe(false);
    expect(server.asked.flatMap(({ input }) => input).join('\n')).not.toContain(SECRET);
  });

  test('killed in the middle, what was made is not made again', async () => {
    const stage = staged(450);
    await stage.type('run');
    const server = await startVectorServer(6);
    configure(stage, served(server));
    let hung: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => (hung = resolve));
    // 200 texts are committed with the seventh request.
    server.instead = () => (server.asked.length <= 9 ? 'answer' : hung());
    const { env } = stage.io();
    const child = spawn(process.execPath, [compiledFile('cli.js'), 'run', '--only', 'embed'], {
      env,
      stdio: 'ignore',
    });
    await hangs;
    child.kill('SIGKILL');
    await once(child, 'exit');
    server.instead = null;
    const before = server.asked.length;
    await stage.type('run', '--only', 'embed');
    expect(server.asked.slice(before).flatMap(({ input }) => input).length).toBeLessThan(300);
    expect(await stage.rows(USED)).toMatchObject([{ count: 451, length: 6 }]);
  });

  test('one that the config no longer names is never asked again: words answer until the other model’s vectors are there', async () => {
    const stage = staged();
    const server = await startVectorServer(6);
    configure(stage, served(server));
    await stage.type('run');
    const asked = server.asked.length;
    configure(stage, null);
    expect((await search(stage, 'when should it be prepared')).mode).toBe('keyword');
    await stage.type('run', '--only', 'embed');
    expect(await stage.rows(USED)).toMatchObject([{ length: 384 }]);
    expect((await search(stage, 'when should it be prepared')).mode).toBe('hybrid');
    expect(server.asked).toHaveLength(asked);
  });
});
