/**
 * A year of sessions as a picture: a heat map of days and bars of agents. It names no project, file
 * or word. Pure.
 */
import type { Year } from '../../store/index.js';
import { counted } from '../../text/amounts.js';

const DAY_MS = 86_400_000;
const [CELL, STEP, LEFT, TOP] = [11, 13, 24, 76];
const WEEKS = 53;
const WIDTH = LEFT + WEEKS * STEP + 12;
const [BARS_TOP, BAR_STEP, BAR_LEFT] = [TOP + 7 * STEP + 34, 20, 130];
const MOST_AGENTS = 6;
/** From no session to the busiest days; the first is a day without one. */
const SHADES = ['#e8e6e1', '#c9dfd3', '#8fc3a8', '#4c9c78', '#1f6b4c'];

/** An SVG file that needs no font, script or picture beside it. */
export function renderCard(year: Year): string {
  const agents = year.agents.slice(0, MOST_AGENTS);
  const height = BARS_TOP + agents.length * BAR_STEP + 12;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" ` +
      `aria-label="${titleOf(year)}" font-family="system-ui, sans-serif" fill="#2b2a28">`,
    `<rect width="100%" height="100%" rx="8" fill="#fbfaf7"/>`,
    `<text x="${LEFT}" y="32" font-size="18" font-weight="600">${titleOf(year)}</text>`,
    `<text x="${LEFT}" y="54" font-size="12" fill="#5f5c57">${escaped(sumsOf(year))}</text>`,
    ...cellsOf(year),
    ...agents.flatMap((agent, at) => barOf(agent, BARS_TOP + at * BAR_STEP, agents[0]!.sessions)),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function titleOf({ from, to, sessions }: Year): string {
  return `${counted(sessions, 'session')} with coding agents, ${from} to ${to}`;
}

/** What the card says below its title, and the command in one line. */
export function sumsOf({
  days,
  prompts,
  commands,
  projects,
  active_seconds: seconds,
}: Year): string {
  const hours = Math.floor(seconds / 3600);
  return [
    counted(days.length, 'active day'),
    counted(hours, 'hour'),
    counted(prompts, 'prompt'),
    counted(commands, 'command'),
    counted(projects, 'project'),
  ].join(' · ');
}

/** One column a week, Sundays first, as the last day's week ends on the right. */
function cellsOf({ to, days }: Year): string[] {
  const of = new Map(days.map(({ day, sessions }) => [day, sessions]));
  const most = Math.max(1, ...days.map(({ sessions }) => sessions));
  const last = Date.parse(`${to}T00:00:00Z`);
  const offset = new Date(last).getUTCDay();
  return Array.from({ length: (WEEKS - 1) * 7 + offset + 1 }, (_, at) => {
    const day = new Date(last - ((WEEKS - 1) * 7 + offset - at) * DAY_MS)
      .toISOString()
      .slice(0, 10);
    const sessions = of.get(day) ?? 0;
    const shade = SHADES[sessions === 0 ? 0 : Math.ceil((sessions / most) * (SHADES.length - 1))]!;
    const [x, y] = [LEFT + Math.floor(at / 7) * STEP, TOP + (at % 7) * STEP];
    const title = `<title>${day}: ${counted(sessions, 'session')}</title>`;
    return `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" rx="2" fill="${shade}">${title}</rect>`;
  });
}

function barOf({ agent, sessions }: Year['agents'][number], y: number, most: number): string[] {
  const width = Math.max(2, Math.round(((WIDTH - BAR_LEFT - 60) * sessions) / most));
  return [
    `<text x="${LEFT}" y="${y + 10}" font-size="12">${escaped(agent)}</text>`,
    `<rect x="${BAR_LEFT}" y="${y}" width="${width}" height="12" rx="2" fill="${SHADES[3]}"/>`,
    `<text x="${BAR_LEFT + width + 6}" y="${y + 10}" font-size="12" fill="#5f5c57">${sessions}</text>`,
  ];
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
