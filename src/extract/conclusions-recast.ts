import { isNamed, readFrame } from './conclusions-frame.js';

/** Past verbs that open a report, with the imperative that says the same as a recipe. */
const BASE: Readonly<Record<string, string>> = {
  added: 'add', cast: 'cast', set: 'set', passed: 'pass', pinned: 'pin', wrapped: 'wrap', escaped: 'escape', quoted: 'quote', disabled: 'disable', enabled: 'enable', excluded: 'exclude',
  adds: 'add', casts: 'cast', sets: 'set', passes: 'pass', pins: 'pin', wraps: 'wrap', escapes: 'escape', quotes: 'quote', disables: 'disable', enables: 'enable', excludes: 'exclude',
  add: 'add', pass: 'pass', pin: 'pin', wrap: 'wrap', escape: 'escape', quote: 'quote', disable: 'disable', enable: 'enable', exclude: 'exclude',
};

/** Third person without a subject, the way comments speak: what the code does on purpose is what to do here. */
const DOES: Readonly<Record<string, string>> = { uses: 'use', using: 'use', runs: 'run', skips: 'skip', avoids: 'avoid', keeps: 'keep', calls: 'call', reads: 'read', writes: 'write', requires: 'require', walks: 'walk', prefers: 'prefer' };

/** Why a thing is done: an error, a tool or a setting that asks for it. */
const REASON = /(?<![\p{L}])(?:because|since|otherwise|or else|to (?:satisfy|work around|avoid|prevent|keep|stop)|so that|as (?:the|`)|instead of|rather than)(?![\p{L}])/iu;
/** The reason of a recipe names what enforces it. */
const ENFORCED = /(?:to (?:satisfy|work around|silence) [^.]*`[^`]+`|(?:to (?:satisfy|work around|silence)|so (?:that )?|because |otherwise |,? as )[^.]*(?:(?<![\p{L}\d])[A-Z]{1,6}\d{3,5}(?!\d)|(?<![\p{L}])(?:linter|type-?checker|compiler|CI|bundler|Firefox|Safari|Chrome|Windows|macOS|Linux|TypeScript|ESLint)(?![\p{L}])))/iu;

const PRESENT = '(?:is|are|has|have|does|can|cannot|must|needs?|takes?|uses?|returns?|reads?|writes?|sets?|shows?|sends?|runs?|goes|calls?|defaults?|works?|fails?|rejects?|accepts?|requires?|expects?|ignores?|skips?|keeps?|gets?|lives?|points?|treats?|handles?|supports?|validates?|exits?|prints?|throws?|comes|follows?|stores?|loads?|checks?|includes?|excludes?|produces?|creates?|resolves?|respects?)';
/** A change told with "now": what it leaves behind holds on. */
const NOW = new RegExp(`(?<=[\\p{L}\`)])\\s+now\\s+(?=${PRESENT}(?![\\p{L}]))`, 'u');

/** A report of a cure with its cause: "Fixed A by doing B because C". */
const DONE = /^(?:I |We )?(?:(?:have|has) )?(?:fixed|resolved|solved|cured|addressed|worked around|avoided|prevented|silenced)\s(?:[^.]|\.(?=\S)){3,140}?(?:\sby\s(\p{Ll}+)ing\s((?:[^.]|\.(?=\S)){3,100}?))?,?\s(?:because|since)\s+(?=\S)/iu;
/** Stems of "…ing" with their instruction. */
const DOING: Readonly<Record<string, string>> = {
  add: 'add', us: 'use', sett: 'set', pass: 'pass', runn: 'run', pinn: 'pin', wrapp: 'wrap', await: 'await', call: 'call', clos: 'close', quot: 'quote', escap: 'escape', disabl: 'disable', enabl: 'enable', exclud: 'exclude', mov: 'move', remov: 'remove',
  replac: 'replace', switch: 'switch', cast: 'cast', export: 'export', import: 'import', install: 'install', rais: 'raise', increas: 'increase', restart: 'restart', clear: 'clear', rebuild: 'rebuild', regenerat: 'regenerate', skipp: 'skip', mock: 'mock', lock: 'lock', wait: 'wait', mount: 'mount', load: 'load',
};

/** The cause of a reported cure as what holds, with what to do where the report tells it. */
function causeOf(text: string): string | null {
  const done = DONE.exec(text);
  if (!done) return null;
  const cause = text.slice(done[0].length).replace(/[.!]+$/, '');
  if (cause.split(/\s+/).length < 4 || !readFrame(cause)) return null;
  const verb = done[1] === undefined ? undefined : DOING[done[1].toLowerCase()];
  return verb === undefined || /[:;]|,\s(?:so|and|which)\s/.test(cause.replace(/`[^`]*`/g, 'x')) ? cause : `${cause}, so ${verb} ${done[2]}`;
}

/** What a thing still needs it needs. */
const STILL = /(?<=[\p{L}`)])\s+still\s+(?=(?:needs?|requires?|has to|have to|must|expects?)(?![\p{L}]))/u;

/** A name whose statement stands in brackets: "`x` (installs y itself, so …)". */
const HELD_IN_BRACKETS = new RegExp(`^(\`[^\`]+\`) \\(((?:never |always |only |also )?(?:${PRESENT}|\\p{Ll}+s)\\s(?:[^()]|\\([^()]*\\))+)\\)\\.?$`, 'u');

/** A report and its purpose: "Changed A so (that) B". */
const PURPOSE = /^(?:I |We )?(?:(?:have|has) )?(?:changed|updated|fixed|adjusted|modified|reworked|made|rewrote|switched|moved|extended|configured|patched|taught|tweaked)\s(?:the\s)?([^.]{3,120}?),?\s(?:so that|so)\s+(?=\S)/iu;

/**
 * A report told as what holds from then on: "`x` now takes y" -> "`x` takes y"; "Changed a so `b` defaults to c" -> "`b` defaults to c";
 * "Uses x instead of y because z" -> "Use x instead of y because z"; "Added x so that `tool` accepts y" -> "Add x so that `tool` accepts y".
 * Any other text comes back as it was.
 */
export function recast(text: string): string {
  const cause = causeOf(text);
  if (cause !== null) return cause;
  const purpose = PURPOSE.exec(text);
  if (purpose) {
    const rest = text.slice(purpose[0].length);
    const topic = purpose[1] ?? '';
    if (rest.split(/\s+/).length >= 4 && isNamed(rest.split(/\s+/).slice(0, 4).join(' ')) && readFrame(rest)) return topic.split(/\s+/).length <= 4 && !/(?<![\p{L}])(?:it|this|that|them|these|test|tests|code|logic)(?![\p{L}])/iu.test(topic) ? `${topic}: ${rest}` : rest;
  }
  const fragment = HELD_IN_BRACKETS.exec(text);
  if (fragment) return `${fragment[1]} ${fragment[2]}`;
  const opening = /^(?:Now,?\s+)(?=(?:on|in|when|if|the|every|each|all|`)[\s`])/u.exec(text);
  const calm = (opening ? text.slice(opening[0].length) : text).replace(NOW, ' ').replace(STILL, ' ');
  const verb = /^(?:I |We )?(\p{L}+)\s/u.exec(calm);
  const said = verb?.[1]?.toLowerCase() ?? '';
  const rest = verb ? calm.slice(verb[0].length) : '';
  if (DOES[said] !== undefined && REASON.test(rest) && isNamed(rest)) return `${DOES[said]} ${rest}`;
  if (BASE[said] !== undefined && ENFORCED.test(rest) && isNamed(rest)) return `${BASE[said]} ${rest}`;
  return calm;
}

/** Whether a text is a recipe: an instruction of change that names what enforces it. */
export function isRecipe(text: string): boolean {
  const verb = /^(\p{L}+)\s/u.exec(text)?.[1]?.toLowerCase() ?? '';
  return BASE[verb] === verb && ENFORCED.test(text);
}
