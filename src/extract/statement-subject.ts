/** What a statement decides about: same subject, other value is a contradiction. */
export interface SubjectValue {
  subject: string;
  value: string;
}

/** Closed sets: of each only one is in use for its purpose. */
const RIVALS: readonly { subject: string; values: RegExp; frame: RegExp }[] = [
  {
    subject: 'package manager',
    values: /(?<![\w-])(npm|pnpm|yarn|bun)(?![\w-])/i,
    frame: /\b(?:use|using|uses|package manager|install|instead|not|with)\b/i,
  },
  {
    subject: 'python environment',
    values: /(?<![\w-])(uv|poetry|pipenv|pdm|conda|pip)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|not|with|install)\b/i,
  },
  {
    subject: 'javascript test runner',
    values: /(?<![\w-])(vitest|jest|mocha|ava|node:test)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|test runner|tests? (?:run|with)|not)\b/i,
  },
  {
    subject: 'formatter',
    values: /(?<![\w-])(prettier|biome|dprint|black)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|format\w*|not)\b/i,
  },
  {
    subject: 'container tool',
    values: /(?<![\w-])(docker|podman|nerdctl)(?![\w-])/i,
    frame: /\b(?:use|using|uses|instead|not)\b/i,
  },
];

const NAMED: readonly [RegExp, string][] = [
  [/(?:default|main|base|release) branch (?:is|should be|must be)(?: called| named)? `?([\w./-]+)`?/i, 'default branch'],
  [/(?:module|import) path (?:is|should be|must be|became) `?([\w./-]+)`?/i, 'module path'],
  [/(?:node|node\.js) (?:version )?(?:is |must be |should be )?v?(\d+(?:\.\d+)*)/i, 'node version'],
  [/python (?:version )?(?:is |must be |should be )?v?(\d+\.\d+(?:\.\d+)?)/i, 'python version'],
  [/(?:java|jdk|openjdk) ?-?(?:version )?(?:is |must be |should be )?(\d+)\b/i, 'java version'],
  [/(?:stay|keep|remain) (?:on|at|with) v?(\d+(?:\.\d+)*(?:\.x)?)/i, 'version line'],
  [/(?:listens?|runs?|serves?) on port (\d{2,5})/i, 'port'],
];

/** Subject and value that a statement fixes, or null. Of rival tools the wanted one is the value: "use pnpm, not npm" gives pnpm. */
export function findSubject(text: string): SubjectValue | null {
  for (const [pattern, subject] of NAMED) {
    const value = pattern.exec(text)?.[1];
    if (value) return { subject, value: value.toLowerCase().replace(/\.$/, '') };
  }
  for (const { subject, values, frame } of RIVALS) {
    if (!frame.test(text)) continue;
    const wanted = text
      .replace(/`/g, '')
      .replace(
        /(?:,? not|instead of|rather than|over|never(?: use)?|don['’]t(?: use)?|do not(?: use)?|avoid|no more|stop using)\s+(?:the\s+)?(?:`?[\w:.-]+`?(?:\s*(?:,|or|and)\s*)?)+/gi,
        ' ',
      );
    const hits = [...wanted.matchAll(new RegExp(values.source, 'gi'))].map((hit) => (hit[1] ?? '').toLowerCase());
    if (new Set(hits).size === 1 && /\b(?:use|using|uses|manager|runner)\b/i.test(wanted))
      return { subject, value: hits[0] as string };
  }
  return null;
}
