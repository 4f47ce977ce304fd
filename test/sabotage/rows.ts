/**
 * One sabotage for each promise: a change of one place of the source that breaks the promise, and
 * the tests of which one must fail then. `make check` applies each to a copy of the repository.
 */

export interface Sabotage {
  /** What the change breaks, as a promise of the program. */
  promise: string;
  /** A folder or a file below src. */
  place: string;
  /** Text that is exactly once in the place, whatever its white space. */
  find: string;
  replace: string;
  /** Test files below test. */
  tests: readonly string[];
  /** A part of the name of the test that is run; without it all of the files are. */
  named?: string;
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'entries and the checkpoint behind them are stored together or not at all',
    place: 'store',
    find: `await connection.run('ROLLBACK')`,
    replace: `await connection.run('COMMIT')`,
    tests: ['store/commit.test.ts'],
  },
  {
    promise: 'an entry that a fork repeats is stored once',
    place: 'store/rows',
    find: `if (!state) {`,
    replace: `if (!state?.places.has(place)) {`,
    tests: ['store/additions.test.ts'],
  },
  {
    promise: 'sessions that share an entry count once',
    place: 'lessons/sessions.ts',
    find: `else join(other, key);`,
    replace: ``,
    tests: ['lessons/confidence.test.ts'],
  },
  {
    promise: 'a line that is not finished waits for its end',
    place: 'jobs/reading',
    find: `if (piece.unterminated && !isStill) return false;`,
    replace: ``,
    tests: ['jobs/ingest.test.ts', 'jobs/tail-property.test.ts'],
  },
  {
    promise: 'a log that was rewritten in place is read again',
    place: 'watchers',
    find: `if (saved.tailHash !== seen.tailHash) return again('other tail');`,
    replace: ``,
    tests: ['watchers/tail.test.ts', 'jobs/tail-property.test.ts'],
  },
  {
    promise: 'a damaged database is kept under another name',
    place: 'store/repair',
    find: `await rename(from, to); moved.push({ from, to });`,
    replace: `await rename(from, to); await (await import('node:fs/promises')).rm(to, { recursive: true }); moved.push({ from, to });`,
    tests: ['store/boot.test.ts'],
  },
  {
    promise: 'a tier is read back before it is recorded',
    place: 'jobs/nightly',
    find: `back === null || back.damaged || back.rows !== items.length || back.sha256 !== sha256`,
    replace: `back === null`,
    tests: ['jobs/tier-write.test.ts'],
  },
  {
    promise: 'rows come back from tiers when the database is lost',
    place: 'jobs/upkeep',
    find: `await restoreEntries(db, entries, now)`,
    replace: `{ added: entries.length, db, restoreEntries }`,
    tests: ['jobs/night.test.ts'],
    named: 'survive the loss of the database',
  },
  {
    promise: 'edits of a person come back from the crystal when the database is lost',
    place: 'jobs/upkeep',
    find: `for (const edit of edits) await addEdit(db, project?.id ?? null, edit);`,
    replace: `for (const edit of edits.slice(edits.length)) await addEdit(db, project?.id ?? null, edit);`,
    tests: ['jobs/night.test.ts'],
    named: 'survive the loss of the database',
  },
  {
    promise: 'writing stops before the disk is full',
    place: 'store',
    find: `if (fault !== null) throw fault;`,
    replace: ``,
    tests: ['store/store.test.ts'],
  },
  {
    promise: 'a published file is the old one or the new one at every moment',
    place: 'store/publish.ts',
    find: `await writeTemp(temp, bytes); await rename(temp, path);`,
    replace: `await (await import('node:fs/promises')).writeFile(path, bytes, { mode: 0o600 }); void writeTemp; void temp;`,
    tests: ['store/publish.test.ts'],
  },
  {
    promise: 'only the person can read what was written',
    place: 'store/publish.ts',
    find: `bytes: Buffer): Promise<void> { const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);`,
    replace: `bytes: Buffer): Promise<void> { const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644);`,
    tests: ['store/publish.test.ts'],
  },
  {
    promise: 'a token with a known prefix is masked',
    place: 'redact',
    find: `rule('npm-token', 'npm_',`,
    replace: `rule('npm-token', 'switched_off_',`,
    tests: ['redact/secrets.test.ts'],
  },
  {
    promise: 'every text is masked before it becomes a row',
    place: 'jobs/reading',
    find: `const { rawEntries, open } = await redactRawEntries(kept, redactor, before?.openKey ?? 0);`,
    replace: `const { open } = await redactRawEntries(kept, redactor, before?.openKey ?? 0); const rawEntries = kept;`,
    tests: ['jobs/prepare.test.ts'],
  },
  {
    promise: 'the content of a secret file is not stored',
    place: 'redact/storage.ts',
    find: `return paths.length === 0 ? { store: 'keep' }`,
    replace: `return paths.length >= 0 ? { store: 'keep' }`,
    tests: ['redact/storage.test.ts'],
  },
  {
    promise: 'a purge takes a text out of every table',
    place: 'store/repair',
    find: `['postings', 'texts', 'superseded']`,
    replace: `['postings', 'superseded']`,
    tests: ['store/purge-tables.test.ts'],
  },
  {
    promise: 'a purge takes a text out of the crystals',
    place: 'lessons/crystal',
    find: `!goneEdits.has(edit) && !holdsAnywhere(edit, holds)`,
    replace: `!goneEdits.has(edit)`,
    tests: ['lessons/crystal-purge.test.ts'],
  },
  {
    promise: 'what was purged does not come back when its log is read again',
    place: 'store/rows',
    find: `if (purged.has(entry.id)) {`,
    replace: `if (entry.id === '') {`,
    tests: ['store/additions.test.ts'],
  },
  {
    promise: 'the page is never larger than its budget',
    place: 'context',
    find: `if (tokens <= budget) return { text, tokens };`,
    replace: `if (tokens <= 2 * budget) return { text, tokens };`,
    tests: ['context/render.test.ts'],
  },
  {
    promise: 'what the person typed is a claim in the same words',
    place: 'parse/typed-claims.ts',
    find: `of typedClaims(withoutOwnNotes(entry.text))) {`,
    replace: `of typedClaims(withoutOwnNotes(entry.text)).map((said) => said.toLowerCase())) {`,
    tests: ['parse/typed-claims.test.ts'],
  },
  {
    promise: 'only what the person typed is a claim of the person',
    place: 'parse/typed-claims.ts',
    find: `entry.origin !== 'user' ||`,
    replace: ``,
    tests: ['parse/typed-claims.test.ts'],
  },
  {
    promise: 'a note that repeats a tool or a page is no note of the agent',
    place: 'parse/notes.ts',
    find: `repeatsForeign(text, entry.seq, runs)`,
    replace: `(runs.length < 0 && repeatsForeign(text, entry.seq, runs))`,
    tests: ['parse/notes.test.ts'],
  },
  {
    promise: 'a command that a page named is withheld',
    place: 'lessons/taint',
    find: `return candidates.filter((c) => whyCandidate(c, sights, place) === null);`,
    replace: `return candidates.filter((c) => whyCandidate(c, sights, place) !== '');`,
    tests: ['lessons/taint.test.ts'],
  },
  {
    promise: 'the same logs in any order give the same lessons',
    place: 'lessons/order.ts',
    find: `return [...byKey.keys()].sort(compareText).map((key) => byKey.get(key)!);`,
    replace: `return [...byKey.values()];`,
    tests: ['lessons/distill.test.ts'],
  },
  {
    promise: 'a lesson that a person forgot stays forgotten',
    place: 'lessons/edits.ts',
    find: `if (effective.forgottenAt !== null) f.forgotten = 'person';`,
    replace: ``,
    tests: ['lessons/distill.test.ts'],
  },
  {
    promise: 'a forgotten wording does not come back under another key',
    place: 'lessons',
    find: `wordings.has(fingerprintOf(f.lesson.text))`,
    replace: `wordings.has('')`,
    tests: ['lessons/distill.test.ts', 'lessons/crystal.test.ts'],
  },
  {
    promise: 'no agent rewords or forgets what the person said',
    place: 'lessons/edits.ts',
    find: `return !pinned && (action === 'edit' ? saidBy === 'agent' : saidBy !== 'user');`,
    replace: `return !pinned || action === 'edit' || saidBy === 'user';`,
    tests: ['lessons/persons-hand.test.ts'],
  },
  {
    promise: 'a store of a newer version is neither read nor changed',
    place: 'store',
    find: `if (version > STORE_VERSION) {`,
    replace: `if (version > STORE_VERSION + 1000) {`,
    tests: ['store/store.test.ts'],
  },
  {
    promise: 'an upgrade of the store keeps every edit',
    place: 'store/migrate.ts',
    find: `...group.flatMap(({ statements }) => statements),`,
    replace: `...group.flatMap(({ statements }) => statements), 'DELETE FROM own.edits',`,
    tests: ['store/migrate.test.ts'],
  },
  {
    promise: 'one daemon works in a home',
    place: 'store/lock.ts',
    find: `throw refuseDaemon(error, path)`,
    replace: `return { close: () => undefined, [Symbol.dispose]: () => undefined } as never`,
    tests: ['store/lock.test.ts'],
  },
  {
    promise: 'what nobody caught ends the daemon with 70, so that it is started again',
    place: 'commands/command-line.ts',
    find: `process.exit(EXIT.internal); }`,
    replace: `process.exit(EXIT.error); }`,
    tests: ['long/quiet-life.test.ts'],
  },
  {
    promise: 'no thread of the program opens a connection that the person did not configure',
    place: 'jobs/reading/reader-thread.ts',
    find: `const rules = { isIgnored:`,
    replace: `void fetch('http://127.0.0.1:9').catch(() => undefined); const rules = { isIgnored:`,
    tests: ['faults/quiet.test.ts'],
  },
  {
    promise: 'a hook does not wait for a daemon that is busy',
    place: 'hooks/wire.ts',
    find: `export const PATIENCE_MS = 150;`,
    replace: `export const PATIENCE_MS = 15_000;`,
    tests: ['hooks/socket.test.ts'],
  },
  {
    promise: '`unlink` leaves no line in a file of somebody else',
    place: 'links',
    find: `for (const { start, end } of found.reverse()) {`,
    replace: `for (const { start, end } of found.reverse().slice(1)) {`,
    tests: ['links/edit.test.ts'],
  },
  {
    promise: '`service uninstall` removes the file of the service',
    place: 'commands/service',
    find: `rmSync(path); removeEmptyAbove(path,`,
    replace: `removeEmptyAbove(path,`,
    tests: ['long/install.test.ts'],
  },
  {
    promise: 'no agent switches a guard off',
    place: 'commands/proof/guard.ts',
    find: `refuseAgents(io.caller(), 'a guard'); const paths`,
    replace: `const paths`,
    tests: ['hooks/guard.test.ts'],
  },
];
