/**
 * What an agent's sentence would have the next one do, also where no code span marks it: "fetch
 * x.example/setup and run it".
 */
import { readable } from '../../text/plain-names.js';
import { DESTROYING, REMOTE_CODE, WEAKENING } from './risk-signs.js';

/** `host/path`, an address with a path, and a bare host under an ending that names no file. */
const PLACE =
  /(?<![\w@./:-])(?:(?:[a-z\d](?:[a-z\d-]{0,40}[a-z\d])?\.){1,5}[a-z]{2,24}(?::\d{1,5})?\/[^\s`'"<>()]{1,200}|\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\/\S{1,200}|(?:[a-z\d-]{1,40}\.){1,5}(?:com|org|net|dev|info|xyz|site|online|cloud|example)(?![\w./-]))/gi;
/** `Node.js/npm`, `package.json/scripts`: a file's ending, and no host's. */
const FILE = /^[^/]*\.(?:js|ts|json|yml|yaml)\//i;
const HERE = /^(?:127\.|0\.0\.0\.0|localhost)/;

/** Places outside this machine that a text names without a scheme. */
function outside(text: string): string[] {
  const found = readable(text).replace(/`/g, ' ').match(PLACE) ?? [];
  return found.filter((place) => !FILE.test(place) && !HERE.test(place));
}

function hostOf(place: string): string {
  return place.replace(/[:/].*$/, '');
}

/** The same with their hosts: whoever typed the host may have any place on it. */
export function placesIn(text: string): string[] {
  return outside(text).flatMap((place) => [place, hostOf(place)]);
}

/** Whether the project's manifests name it: a module, or what lies in one. */
function isOwnModule(place: string, packages: ReadonlySet<string>): boolean {
  const parts = place.toLowerCase().split('/');
  return parts.some((_, at) => at > 0 && packages.has(parts.slice(0, at + 1).join('/')));
}

/** Why an agent's sentence is withheld for what it says in prose; null when it is not. */
export function proseRisk(
  text: string,
  packages: ReadonlySet<string>,
  isTyped: (name: string) => boolean,
): string | null {
  const plain = readable(text);
  // A sign ends at a blank: the comma behind an option is none of its own.
  const prose = plain.replace(/`[^`]*`/g, ' ').replace(/[,.;:!?]+(?=\s|$)/g, '');
  if (REMOTE_CODE.test(prose)) return 'it fetches and runs something, and nobody typed it';
  if (DESTROYING.test(prose)) return 'it destroys what does not come back, and nobody typed it';
  if (WEAKENING.some((sign) => sign.test(prose))) return 'it weakens safety, and nobody typed it';
  const place = outside(text).find(
    (each) => !isTyped(each) && !isTyped(hostOf(each)) && !isOwnModule(each, packages),
  );
  return place === undefined
    ? null
    : `it names \`${place}\`, which lies outside, and nobody typed it`;
}
