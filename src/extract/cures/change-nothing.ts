import { isProbe } from '../commands/classify.js';
import type { Step } from '../shell/steps.js';

/** Programs that `isProbe` knows and that change something all the same. */
const CHANGES = new Set('mkdir rmdir rm mv cp touch chmod chown ln tee kill pkill killall patch apply_patch tar unzip gunzip gzip zip curl wget http ssh scp rsync sqlite3 duckdb psql mysql redis-cli mongosh sudo source . eval export set unset tmux screen code vim vi nano xargs dos2unix open'.split(' '));
const GIT_LOOKS = new Set('status log diff show blame grep branch remote rev-parse ls-files describe config reflog shortlog'.split(' '));
const IN_PLACE = /^-i|^--in-place|^-\w*i$/;

/** Whether a step only looks, moves within the shell or talks: whatever it does, the next command ends as it would have without it. */
export function isLooking(step: Step): boolean {
  const program = (step.words[0] ?? '').replace(/^.*\//, '');
  if (step.redirected || step.scripted || step.joint === '&' || program === '') return false;
  if (program === 'git') return GIT_LOOKS.has(step.words[1] ?? '');
  if (/^(?:sed|perl|awk|yq|jq)$/.test(program) && step.words.some((w) => IN_PLACE.test(w))) return false;
  return isProbe(program) && !CHANGES.has(program);
}
