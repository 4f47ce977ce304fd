import { expect, test } from 'vitest';
import { extractSession } from '../../src/extract/index.js';
import { answered, sessionOf, typed } from './session-of.js';

const RULE = 'Never edit `db/schema.sql` by hand, because `make db` rewrites it';
function write(path: string, text: string) {
  return { role: 'tool_call' as const, origin: 'agent' as const, tool: 'Write', files: [path], text: `${path}\n${text}` };
}
function shell(command: string) {
  return [
    { role: 'tool_call' as const, origin: 'agent' as const, tool: 'Bash', text: command, command, call: 'c1' },
    {
      role: 'tool_result' as const,
      origin: 'tool' as const,
      tool: 'Bash',
      text: 'ok',
      call: 'c1',
      outcome: 'ok' as const,
      exit: 0,
    },
  ];
}
function learnt(parts: Parameters<typeof sessionOf>[0], subagent = false) {
  return extractSession(sessionOf([typed('go on'), ...parts], { facts: { session: 's1', subagent } }))
    .candidates.filter((one) => one.alone && one.saidBy === 'agent')
    .map((one) => [one.text, one.tags.find((t) => !t.startsWith('judged'))]);
}

test.each([
  ['a memory file', [write('/home/ana/.claude/projects/shop/memory/db.md', `# Database\n\n${RULE}.\n`)], 'written-down'],
  ['a rules file of an editor', [write('/home/ana/shop/.cursor/rules/db.mdc', `- ${RULE}.`)], 'written-down'],
  ['AGENTS.md', [write('/home/ana/shop/AGENTS.md', `- ${RULE}.`)], 'written-down'],
  ['a commit message', shell(`git commit -m "db: new table" -m "${RULE.replace(/`/g, '\\`')}."`), 'conclusion'],
  ['a comment in code', [write('/home/ana/shop/db/load.ts', `// ${RULE}.\nconst x = 1;`)], 'conclusion'],
  ['a line for the next agent', [answered(`Done.\n\nRemember: ${RULE}.`), typed('thanks')], 'note'],
] as const)('%s', (_name, parts, tag) => {
  expect(learnt([...parts])).toContainEqual([RULE, tag]);
});

test('a sub-agent: what it concluded, not what it was about to do', () => {
  expect(
    learnt([answered(`I'll look at the schema.`), answered(`Done with the look.\n\n${RULE}.`, { marks: ['final'] })], true),
  ).toEqual([[RULE, 'conclusion']]);
});
