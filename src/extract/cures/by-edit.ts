import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import type { SessionInput } from '../session.js';
import { errorSpan } from '../../text/error-span.js';
import { cureKey } from './by-command.js';
import { sharedTerms, type Cured } from './failures.js';

/** Files that set up the work; an edit of other files cures a bug, and bugs stay cured. */
const SETUP =
  /(?:^|\/)(?:[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|properties|gradle|kts|csproj|props|nix|cmake|lock)|(?:package|tsconfig[\w.-]*|composer|deno|biome|turbo|nx|jsr|angular|\.?\w+rc)\.jsonc?|[\w.-]*\.?config\.[cm]?[jt]s|(?:Make|Docker|Gem|Pip|Proc|Brew|just|Rake|Task)file[\w.-]*|go\.(?:mod|work)|requirements[\w.-]*\.txt|setup\.py|conftest\.py|\.env\.\w+|\.\w+ignore|\.\w+rc)$/i;

/** "X failed with E; an edit of F cured it": told when one file of the set-up was changed in between and its change shares a term with the error. */
export function curedByEdit(session: SessionInput, cured: Cured): Candidate | null {
  const files = [...new Set(cured.changes.map((c) => c.file))];
  const [file] = files;
  if (file === undefined || files.length > 1 || !SETUP.test(file) || cured.worked.form.passing) return null;
  const changed = cured.changes.map((c) => c.entry.text.split('\n').slice(1).join('\n')).join('\n');
  if (sharedTerms(changed, cured.error).length === 0) return null;
  const room = 140 - cured.text.length - file.length;
  if (room < 30) return null;
  return observed(session, {
    kind: 'gotcha',
    text: `\`${cured.text}\` failed with ${errorSpan(cured.error, Math.min(90, room))}: an edit of \`${file}\` cured it.`,
    key: cureKey(cured.text, cured.error),
    importance: cured.failed.length >= 3 ? 4 : 3,
    alone: true,
    worth: 0.5 + Math.min(0.1, 0.05 * cured.failed.length),
    entry: cured.worked.call.entry,
    quote: cured.error,
    trust: 0.5,
    tags: ['cure', 'edit'],
    files: [file],
    commands: [cured.text],
  });
}
