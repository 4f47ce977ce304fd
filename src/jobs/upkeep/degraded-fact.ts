/** A degraded state by its code, and what cures it. */
import type { StatusFacts } from '../../types.js';

export type Degraded = StatusFacts['degraded'][number];

/** The effect of a config.yaml that cannot be used: an `exclude` may be in its broken part. */
export const CONFIG_HELD = 'nothing is read from logs and nothing is sent until it is right';

/** The next step for each code of `degraded`: a new code gets its line here. */
export const CURES: Record<string, string> = {
  DAEMON_DEAD:
    '`dripstone service install`, or `dripstone start`; `dripstone status --check --fix` removes the stale daemon.json',
  DAEMON_SILENT: 'end that process and start it again (`dripstone service install` does both)',
  DAEMON_OTHER:
    '`dripstone service install` updates the service; else end that process and type `dripstone start`',
  LOGS_UNREAD: '`dripstone run`; `make install` keeps reading',
  LOGS_EXPIRE: '`dripstone run` now, and raise that setting if you want the logs themselves',
  LOGS_NOT_KEPT: 'raise that setting',
  NOTHING_LEARNT: '`dripstone run --only extract,context`; if it fails, report what it prints',
  CLOCK_BEHIND: 'set the clock',
  CLOCK_JUMPED: 'nothing to do if the clock is right now',
  DISK_LOW: 'free some space on that disk',
  DISK_FULL: 'free some space on that disk; reading continues automatically',
  NO_MODEL:
    'install the package that was made for this machine, or restore models/ (`git checkout models`); a server does it too ' +
    '(`dripstone config set embed.url URL`), and `dripstone config set embed.enabled false` is words alone, without this line',
  EMBEDDING_FAILS:
    'start that server, or correct embed.url, embed.model and embed.key_variable in config.yaml',
  CONFIG_REFUSED:
    'correct that line in config.yaml; `dripstone config check` says when it is right',
  SWITCHED_OFF: 'set `enabled: true` in config.yaml',
  CRYSTAL_UNREADABLE: 'copy its words into crystal.json, then delete it',
  STORE_SET_ASIDE: 'delete it when you no longer need it',
  WATCH_ENOSPC:
    '`sudo sysctl fs.inotify.max_user_watches=524288`; until then logs are found every 30 s',
  WATCH_EMFILE:
    '`sudo sysctl fs.inotify.max_user_instances=512`; until then logs are found every 30 s',
  STORE_DAMAGED_AGAIN:
    'check that disk and which other program writes there, move the files that end in .damaged-… away, then `dripstone run`',
  JOB_FAILS:
    '`dripstone run --only` with the name of that job tries it again and prints why it fails; if the reason does not ' +
    'help, report the error',
  SESSION_UNLEARNT:
    '`dripstone run --only extract,context` tries again; if it still fails, report the error',
  FACT_FAILS:
    '`dripstone run` tries again; its last events stay and the other kinds work; if it still fails, report the error',
  PROJECT_UNPUBLISHED:
    "fix what the error names in that project's folder, then `dripstone run`; its files stay as they were",
  CRYSTAL_UNWRITTEN:
    "fix what the error names in that project's folder, then `dripstone crystallize`; its crystal.json stays as it was",
  PROJECT_UNLEARNT:
    '`dripstone run` tries again; its lessons and files stay as they were; if it still fails, report the error',
  TIERS_MISSING: '`dripstone crystallize` writes them again from the database',
  TIERS_REMADE:
    'find the program that changes files below projects/ (a cleaner, a sync) and stop it; shown for a week',
  CHECKPOINT_FAILS:
    'free some space on that disk and close programs that hold the database, then `dripstone run`; if it still fails, report ' +
    'the error with the size of that file',
};
