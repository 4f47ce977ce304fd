import { adapters } from '../../src/agents/index.js';
import type { Adapter } from '../../src/types.js';

/** Places that are shown of an agent; the rest is counted. */
const SHOWN = 3;

function placesOf({ places }: Adapter): string {
  const own = places.filter(({ named }) => named !== true);
  const all = [
    ...new Set(own.map(({ root, under }) => `\`~/${[root, under].filter(Boolean).join('/')}\``)),
  ];
  const more = all.length > SHOWN ? [`${all.length - SHOWN} more`] : [];
  const named = places.some((place) => place.named === true) ? ['what `agents.roots` names'] : [];
  return [...all.slice(0, SHOWN), ...more, ...named].join(', ');
}

/**
 * The table of docs/agents.md: every agent of the registry and where its sessions are looked for.
 */
export function agentsTable(): string {
  const rows = adapters.map((adapter) => {
    const title = adapter.unproven === true ? `${adapter.title} (unproven)` : adapter.title;
    return `| ${title} | \`${adapter.agent}\` | ${placesOf(adapter)} |`;
  });
  return ['| agent | name | reads |', '| --- | --- | --- |', ...rows].join('\n');
}
