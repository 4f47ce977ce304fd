/** The skill that an earlier version wrote where agents look for personal skills. */
import { dirname, join } from 'node:path';
import { changeAll, lookIfFit, removeEmpty } from './files.js';

const PLACES = ['.claude/skills', '.agents/skills'];
const NAME = 'dripstone-tidy';

/**
 * Removes the skill, also when a person or another version wrote in it. @returns its files
 * @param onlyShow removes nothing
 */
export function removeSkills(home: string, onlyShow = false): string[] {
  const files = PLACES.flatMap((place) => {
    const file = lookIfFit(join(home, place, NAME, 'SKILL.md'));
    const isOurs = file?.bytes?.toString('utf8').startsWith(`---\nname: ${NAME}\n`) === true;
    return file !== null && isOurs ? [file] : [];
  });
  const paths = files.map(({ path }) => path);
  if (onlyShow) return paths;
  changeAll(files.map((file) => ({ file, after: null })));
  removeEmpty(paths.map((path) => dirname(path)));
  return paths;
}
