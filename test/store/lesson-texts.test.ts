/** Which lessons a search reads before it cuts their texts into terms. */
import { expect, test } from 'vitest';
import { appendRows } from '../../src/store/db.js';
import { textsContaining } from '../../src/store/search/lesson-texts.js';
import { partOf, termsOf } from '../../src/terms/index.js';
import { seeded } from '../redact/made-up.js';
import { tempStore } from '../stage.js';

const PARTS = [
  ...[
    'port',
    'Port',
    'PORT',
    'http',
    'Http',
    'HTTP',
    'ferry',
    'Queries',
    'iOS',
    'node',
    'x2',
    'v1',
  ],
  ...['_', '-', '.', '/', '(', ' ', ' ', "'", '+', '2', '42nd', 'É', 'ß', 'straße', '水車', 'a'],
];
const PLAIN = {
  ...{ owner: '', kind: 'fact', scope: 'project', importance: 3, said_by: 'agent', fields: '{}' },
  ...{ pinned: false, status: 'live', tags: [], files: [], supersedes: [] },
  ...{ worth: 1, confidence: 1, sessions: 1, extractor: 1 },
};
const ANY = { project: null, agent: null, kind: null, since: null, until: null };

test('law: a text is read for each of its terms', async () => {
  const random = seeded(7);
  const texts = Array.from({ length: 150 }, () =>
    Array.from(
      { length: 1 + Math.floor(random() * 7) },
      () => PARTS[Math.floor(random() * PARTS.length)]!,
    ).join(''),
  );
  const byTerm = new Map<string, string[]>();
  for (const text of texts)
    for (const term of termsOf(text).keys()) byTerm.set(term, [...(byTerm.get(term) ?? []), text]);
  expect(byTerm.size).toBeGreaterThan(60);
  const { store } = await tempStore();
  await store.write((db) =>
    appendRows(
      db,
      'own.lessons',
      texts.map((text, n) => ({ ...PLAIN, id: `l${n}`, key: `l${n}`, text })),
    ),
  );
  await store.read(async (db) => {
    for (const [term, having] of [...byTerm].slice(0, 60)) {
      const read = await textsContaining(db, ANY, { parts: [partOf(term)] });
      const found = new Set(read.texts.map(({ text }) => text));
      expect([term, having.filter((text) => !found.has(text))]).toEqual([term, []]);
    }
  });
  const port = await store.read((db) => textsContaining(db, ANY, { parts: ['rt'] }));
  expect(port.texts.filter(({ text }) => text === 'port')).toEqual([]);
});
