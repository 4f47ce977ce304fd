import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import { changesOf, sessionRoots, type Call, type Run } from './runs.js';

const CONVENTIONAL = /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert|wip|release)(?:\([\w./,* -]+\))?!?: \S/;
const BRANCH = /^([a-z][\w.-]{1,20})\/[\w./-]+$/;
/** Share of the cases that makes a habit. */
const SHARE = 0.6;

/** Subject line of `git commit -m …`, here-document form included; null when the message stands elsewhere. */
function commitSubject(words: string[]): string | null {
  const at = words.findIndex((w) => /^(?:-[a-z]*m|--message)$/.test(w));
  const inline = words.find((w) => w.startsWith('--message='))?.slice('--message='.length);
  const text = at < 0 ? inline : words[at + 1];
  if (text === undefined) return null;
  const body = /^\$\(cat <<-?\s*['"]?\w+['"]?\n([\s\S]*)/.exec(text)?.[1] ?? text;
  const subject =
    body
      .split('\n')
      .map((l) => l.trim())
      .find((l) => l !== '') ?? '';
  return subject === '' || subject.startsWith('$') ? null : subject;
}

/** Commits of the calls that did not fail: place, subject and the call. */
export function commitsOf(calls: Call[]): { at: number; subject: string; call: Call }[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      if (step.words[0] !== 'git' || !step.words.includes('commit') || call.verdicts[i] === 'failed' || step.scripted) return [];
      if (call.result === null || call.result.outcome !== 'ok' || call.folders[i] === null) return [];
      const subject = commitSubject(step.words);
      return subject === null ? [] : [{ at: call.at, subject, call }];
    }),
  );
}

interface Style {
  key: string;
  pattern: RegExp;
  text: (subjects: string[]) => string;
}

const STYLES: readonly Style[] = [
  {
    key: 'conventional-commits',
    pattern: CONVENTIONAL,
    text: (subjects) => {
      const isScoped = subjects.filter((s) => /^\w+\(/.test(s)).length * 2 > subjects.length;
      const form = isScoped ? 'type(scope): subject' : 'type: subject';
      return `Commit messages are Conventional Commits (\`${form}\`, e.g. \`feat:\`, \`fix:\`).`;
    },
  },
  {
    key: 'version-commits',
    pattern: /^v?\d+\.\d+\.\d+: \S/,
    text: (subjects) => `Commits of a release are named \`${(subjects[0] ?? '').startsWith('v') ? 'v' : ''}X.Y.Z: subject\`.`,
  },
  {
    key: 'ticket-commits',
    pattern: /^\[?[A-Z][A-Z0-9]{1,9}-\d+\]?[: ]/,
    text: () => 'Commit messages begin with the ticket, like `ABC-123: subject`.',
  },
  {
    key: 'emoji-commits',
    pattern: /^(?:\p{Extended_Pictographic}|:[a-z_]+:)/u,
    text: () => 'Commit messages begin with an emoji (gitmoji).',
  },
];

/** Styles that most subjects of the session share; Conventional Commits also when they do not, as evidence against them. */
function commitStyle(session: SessionInput, calls: Call[]): Candidate[] {
  const commits = commitsOf(calls);
  const last = commits[commits.length - 1];
  if (last === undefined) return [];
  return STYLES.flatMap(({ key, pattern, text }) => {
    const good = commits.filter((c) => pattern.test(c.subject));
    const supports = good.length >= SHARE * commits.length;
    if (!supports && key !== 'conventional-commits') return [];
    const subjects = good.map((c) => c.subject);
    return [
      observed(session, {
        kind: 'fact',
        text: text(subjects),
        key: `habit:${key}`,
        importance: 2,
        alone: false,
        worth: 0.55,
        entry: last.call.entry,
        quote: `git commit -m "${subjects.at(-1) ?? last.subject}"`,
        supports,
        tags: ['habit', 'commits'],
        commands: [],
      }),
    ];
  });
}

/** Names of one person or agent: the home's user in a folder, the words of the agent's name. */
function ownNames(session: SessionInput): Set<string> {
  return new Set(
    [
      ...session.agent.split('-'),
      ...session.project.folders
        .concat(session.facts.cwd ?? '')
        .flatMap((f) => /^(?:\/(?:home|Users)\/|[A-Za-z]:\\Users\\)([^/\\]+)/.exec(f)?.[1] ?? []),
    ].map((n) => n.toLowerCase()),
  );
}

/** Prefixes of the branches that the session made; those that are a name of its maker are told apart (`own:`). */
function branchPrefixes(session: SessionInput, calls: Call[]): Candidate[] {
  const made = calls.flatMap((call) =>
    call.steps.flatMap((step) => {
      const [git, verb] = step.words;
      const at =
        git !== 'git'
          ? -1
          : verb === 'checkout'
            ? step.words.findIndex((w) => /^-[bB]$/.test(w))
            : verb === 'switch'
              ? step.words.findIndex((w) => /^(?:-[cC]|--create)$/.test(w))
              : -1;
      const name = at > 0 ? step.words[at + 1] : undefined;
      return name === undefined || step.scripted || call.result?.outcome !== 'ok' ? [] : [{ call, name }];
    }),
  );
  const last = made[made.length - 1];
  const prefixes = [...new Set(made.map((m) => BRANCH.exec(m.name)?.[1]).filter((p) => p !== undefined))].sort();
  if (last === undefined || prefixes.length === 0 || prefixes.some((p) => p === 'origin' || p === 'worktree')) return [];
  return [
    observed(session, {
      kind: 'fact',
      text: `Work goes on branches of its own, named like ${prefixes
        .slice(0, 4)
        .map((p) => `\`${p}/…\``)
        .join(', ')}.`,
      key: 'habit:branch-prefix',
      importance: 2,
      alone: false,
      worth: 0.5,
      entry: last.call.entry,
      quote: `git checkout -b ${last.name}`,
      tags: ['habit', 'branches', ...prefixes.map((p) => `${ownNames(session).has(p.toLowerCase()) ? 'own' : 'prefix'}:${p}`)],
      commands: [],
    }),
  ];
}

function draftPulls(session: SessionInput, calls: Call[]): Candidate[] {
  const pulls = calls.flatMap((call) =>
    call.steps
      .filter((s) => s.words[0] === 'gh' && s.words[1] === 'pr' && s.words[2] === 'create')
      .map((step) => ({ call, draft: step.words.some((w) => w === '--draft' || w === '-d') })),
  );
  const last = pulls[pulls.length - 1];
  if (last === undefined || last.call.result?.outcome !== 'ok') return [];
  const drafts = pulls.filter((p) => p.draft).length;
  return [
    observed(session, {
      kind: 'fact',
      text: 'Pull requests are opened as drafts: `gh pr create --draft`.',
      key: 'habit:draft-pulls',
      importance: 2,
      alone: false,
      worth: 0.6,
      entry: last.call.entry,
      quote: 'gh pr create --draft',
      supports: drafts >= SHARE * pulls.length,
      tags: ['habit', 'pull-requests'],
      commands: ['gh pr create --draft'],
    }),
  ].filter((c) => drafts > 0 || !c.evidence.supports);
}

const GUARDS = new Set(['test', 'lint', 'format', 'typecheck', 'check', 'build']);

/** Checks that stand between the last change and most commits. */
function beforeCommit(session: SessionInput, calls: Call[], runs: Run[]): Candidate[] {
  const commits = commitsOf(calls);
  const changes = changesOf(session.entries, sessionRoots(session));
  const counts = new Map<string, { count: number; run: Run }>();
  let from = -1;
  let guarded = 0;
  for (const commit of commits) {
    const edited = changes.filter((c) => c.at > from && c.at < commit.at);
    if (edited.length > 0) {
      guarded += 1;
      const before = runs.filter(
        (r) =>
          r.at > (edited[0]?.at ?? 0) &&
          r.at <= commit.at &&
          r.verdict === 'ok' &&
          GUARDS.has(r.form.class) &&
          !r.form.passing &&
          !r.form.narrow,
      );
      for (const run of new Map(before.map((r) => [r.form.text, r])).values())
        counts.set(run.form.text, { count: (counts.get(run.form.text)?.count ?? 0) + 1, run });
    }
    from = commit.at;
  }
  return [...counts.values()]
    .filter((c) => guarded > 0 && c.count >= SHARE * guarded)
    .map(({ count, run }) =>
      observed(session, {
        kind: 'fact',
        text: `Before a commit run \`${run.form.text}\`, as earlier work here did.`,
        key: `habit:before-commit:${run.form.text}`,
        importance: 3,
        alone: false,
        worth: 0.5 + Math.min(0.15, 0.05 * count),
        entry: run.call.entry,
        quote: run.call.entry.command ?? run.form.text,
        tags: ['habit', `guard:${run.form.class}`],
        commands: [run.form.text],
      }),
    );
}

/** Habits that show in commands: none counts before two sessions agree. */
export function habitsOf(session: SessionInput, calls: Call[], runs: Run[]): Candidate[] {
  return [
    ...commitStyle(session, calls),
    ...branchPrefixes(session, calls),
    ...draftPulls(session, calls),
    ...beforeCommit(session, calls, runs),
  ];
}
