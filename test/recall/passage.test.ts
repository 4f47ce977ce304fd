/** Passages of answers: code stays code on one line. */
import { expect, test } from 'vitest';
import { passageAround, type Range } from '../../src/recall/passage.js';

const BLOCK = 'Run it again:\n```bash\ncd looms\nweave --picks 8 .#twill\n```\nThat weaves. ';
const TEXT = `${BLOCK}It changed the \`wind-bobbin\` task, and more words follow until the end.`;

function near(words: string, chars: number): string {
  const at = TEXT.indexOf(words);
  const match: Range = [at, at + words.length];
  return passageAround(TEXT, match, chars);
}

test('lines of a block are parted by a sign, and a cut closes what it goes through', () => {
  expect(near('weave', 500)).toContain('Run it again: `cd looms ⏎ weave --picks 8 .#twill` That');
  expect(near('weave', 40)).toMatch(/^…`cd looms ⏎ weave --picks 8( \.#twill)?`…$/);
  expect(near('bobbin', 30)).toMatch(/^…[^`]*`wind-bobbin` task/);
  for (let chars = 12; chars < 160; chars++)
    expect(near('again', chars).split('`').length % 2).toBe(1);
});
