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

  test('name their sessions, projects, parents and the machine-made one', () => {
    const sessions = Object.values(wanted.projects).flatMap((project) => project.sessions);
    expect(logs.map((log) => log.session.session).sort()).toEqual(sessions.sort());
    expect(logs.filter((log) => log.session.machine).map((log) => log.session.session)).toEqual(
      wanted.sessions.machine,
    );
    const parents = logs
      .filter((log) => log.session.subagent)
      .map((log) => [log.session.session, log.session.parent]);
    expect(Object.fromEntries(parents)).toEqual(wanted.sessions.subagents);
    for (const project of Object.values(wanted.projects)) {
      const remotes = logs
        .filter((log) => project.sessions.includes(log.session.session!))
        .map((log) => log.session.remote);
      expect(new Set(remotes.filter((remote) => remote !== undefined))).toEqual(
        new Set([project.remote]),
      );
    }
  });

  test('a fork repeats its parent under the same ids', () => {
    const natives = (session: string) =>
      new Set(
        logs.find((log) => log.session.session === session)!.rawEntries.map((raw) => raw.native),
      );
    for (const [fork, parent] of Object.entries(wanted.sessions.forks)) {
      const shared = [...natives(parent)].filter((native) => natives(fork).has(native));
      expect(shared).toHaveLength(natives(parent).size);
    }
  });

  test('hold every secret that must be masked, and span three weeks', () => {
    for (const secret of wanted.secrets)
      expect(logs.some((log) => readFileSync(log.path, 'utf8').includes(secret))).toBe(true);
    const days = logs.flatMap((log) => log.rawEntries.map((raw) => raw.time!.slice(0, 10))).sort();
    expect([days[0], days.at(-1)]).toEqual(['2026-11-02', '2026-11-20']);
  });

  test('nothing that must never be published is a word of the user', () => {
    const users = logs.flatMap((log) => log.rawEntries).filter((raw) => raw.origin === 'user');
    for (const { never } of Object.values(wanted.projects))
      for (const { match } of never)
        expect(
          users.filter((raw) => match.every((shape) => new RegExp(shape, 'i').test(raw.text))),
        ).toEqual([]);
  });
});
