/** The id of a claim: of its sentence, and for a claim of an earlier build the one that it has. */
import { expect, test } from 'vitest';
import { lessonId } from '../../src/lessons/index.js';
import { distillProject } from '../../src/lessons/distill.js';
import { keyOfText } from '../../src/text/fingerprint.js';
import type { Edit, Lesson } from '../../src/types.js';
import { candidate, material, PROJECT } from './build.js';

const TEXT = 'Never push to main on Fridays';
/** As an earlier build made it. */
const OLD_KEY = 'friday main not push';
const OLD_ID = lessonId(PROJECT.id, 'preference', OLD_KEY);
const said = candidate({
  kind: 'preference',
  text: TEXT,
  key: keyOfText(TEXT),
  said_by: 'user',
  alone: true,
});

function upgraded(edits: Edit[] = []): Lesson[] {
  const [before] = distillProject(material({ candidates: [said] })).lessons;
  const remembered = [{ ...before!, id: OLD_ID, key: OLD_KEY }];
  return distillProject(material({ candidates: [said], remembered, edits })).lessons;
}
const edit = (action: Edit['action'], text: string | null = null): Edit => ({
  lesson: OLD_ID,
  action,
  text,
  kind: null,
  scope: null,
  time: '2026-11-20T10:00:00.000Z',
});

test('case, white space and punctuation make no other claim, the order of words does', () => {
  const texts = [TEXT, 'never push  to main, on fridays.', 'On Fridays never push to main'];
  const candidates = texts.map((text) => ({ ...said, text, key: keyOfText(text) }));
  expect(new Set(distillProject(material({ candidates })).lessons.map(({ id }) => id)).size).toBe(
    2,
  );
});

test('a claim of an earlier build keeps its id, and its edit, pin and tombstone', () => {
  expect(upgraded().map(({ id }) => id)).toEqual([OLD_ID]);
  expect(upgraded([edit('pin')])[0]).toMatchObject({ id: OLD_ID, pinned: true });
  expect(upgraded([edit('edit', 'Push on no Friday')])[0]).toMatchObject({
    id: OLD_ID,
    text: 'Push on no Friday',
  });
  expect(upgraded([edit('forget')]).map(({ status }) => status)).toEqual(['forgotten']);
});
