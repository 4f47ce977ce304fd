/** The skill `dripstone-tidy` of older versions, one SKILL.md a place: only its removal is left. */
import { dirname, join } from 'node:path';
import { type Change, lookAtOther, removeEmpty } from './files.js';

const SKILL_NAME = 'dripstone-tidy';
/** Folders of personal skills below the person's home. */
const PLACES = ['.claude/skills', '.agents/skills'];

interface PlannedSkill {
  path: string;
  change: Change;
}

/** Skills of ours that are there; the name in the file tells them, even if a person changed the rest. */
export function planSkillsOut(home: string): PlannedSkill[] {
  return PLACES.flatMap((skills) => {
    const file = lookAtOther(join(home, ...skills.split('/'), SKILL_NAME, 'SKILL.md'));
    const isOurs = file.bytes?.toString('utf8').startsWith(`---\nname: ${SKILL_NAME}\n`) === true;
    return isOurs ? [{ path: file.path, change: { file, after: null } }] : [];
  });
}

/** Removes the folder of a removed skill if nothing else lies in it. */
export function dropSkillFolders(paths: readonly string[]): void {
  removeEmpty(paths.map((path) => dirname(path)));
}
