import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adapters } from '../../src/agents/index.js';
import { fold, logsOf } from './fold.js';

interface Expectations {
  sessions: {
    files: number;
    machine: string[];
    forks: Record<string, string>;
    subagents: Record<string, string>;
    unfinished: string[];
  };
  secrets: string[];
  projects: Record<string, { remote: string; sessions: string[]; never: { match: string[] }[] }>;
}

const samples = join(import.meta.dirname, '../samples');
const wanted = JSON.parse(readFileSync(join(samples, 'expectations.json'), 'utf8')) as Expectations;
const claude = adapters.find((adapter) => adapter.agent === 'claude-code')!;
const logs = logsOf(claude, join(samples, 'home')).map((log) => ({
  ...log,
  ...fold(claude, log.name, log.records),
}));

describe('the shipped sample sessions', () => {
  test('are whole: every line is read and known', () => {
    expect(logs).toHaveLength(wanted.sessions.files);
    for (const log of logs) {
      expect(log.unknown).toEqual([]);
      expect(log.records).toHaveLength(readFileSync(log.path, 'utf8').trimEnd().split('\n').length);
      expect(log.rawEntries.length).toBeGreaterThan(1);
    }
  });

  test('hold every secret that must be masked, and span three weeks', () => {
    for (const secret of wanted.secrets)
      expect(logs.some((log) => readFileSync(log.path, 'utf8').includes(secret))).toBe(true);
    const days = logs.flatMap((log) => log.rawEntries.map((raw) => raw.time!.slice(0, 10))).sort();
    expect([days[0], days.at(-1)]).toEqual(['2026-11-02', '2026-11-20']);
  });
});
