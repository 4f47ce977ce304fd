/**
 * The files of a release in release/: a package for each machine, checksums, the formula and the
 * manifest with both in them. Publishes nothing; docs/release.md says what a person does then.
 * Usage: node packaging/release.js [PLATFORM-ARCH ...]; `make release` runs every check before it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const out = join(root, 'release');
/**
 * What npm calls a machine. The last one has no runtime of the model: search works by words there.
 */
const MACHINES = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64', 'darwin-x64'];
const says = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function run(program, ...args) {
  const shell = process.platform === 'win32' && program === 'npm';
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, shell });
  return { code: done.status, out: done.stdout ?? '', err: `${done.stderr ?? ''}${done.error ?? ''}` };
}

function must(program, ...args) {
  const done = run(program, ...args);
  if (done.code !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.err || done.out}`);
  return done.out;
}

/** A finding that is high or critical ends the release; a registry that does not answer is said. */
function audit(...args) {
  const what = ['npm audit', ...args].join(' ');
  const { out: text } = run('npm', 'audit', '--json', ...args);
  const counts = readJson(text)?.metadata?.vulnerabilities;
  if (counts === undefined) console.log(`${what}: NOT CHECKED, the registry gives no answer`);
  else if (counts.high + counts.critical > 0) throw new Error(`${what}: ${counts.high} high, ${counts.critical} critical`);
  else console.log(`${what}: none high (${counts.total} in all)`);
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The same files as `npm pack`, with a package.json that names its machine and holds nothing of the
 * repository.
 */
function packFor(machine) {
  must(process.execPath, 'bundle.js', machine);
  must('npm', 'pack', '--pack-destination', out);
  const plain = join(out, `dripstone-${says.version}.tgz`);
  const stage = join(out, 'stage');
  mkdirSync(stage);
  // Not from what `npm pack --json` lists: it masks what looks like a key, and session ids do.
  must('tar', '-xzf', plain, '-C', stage);
  const folder = join(stage, 'package');
  const [os, cpu] = machine.split('-');
  const kept = Object.entries(says).filter(([key]) => !['scripts', 'devDependencies', 'private'].includes(key));
  const text = JSON.stringify({ ...Object.fromEntries(kept), ...published, os: [os], cpu: [cpu] }, null, 2);
  writeFileSync(join(folder, 'package.json'), `${text}\n`);
  must('npm', 'pack', folder, '--pack-destination', out);
  rmSync(stage, { recursive: true });
  const name = `dripstone-${says.version}-${machine}.tgz`;
  renameSync(plain, join(out, name));
  const bytes = readFileSync(join(out, name));
  console.log(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`);
  tryPublishing(join(out, name));
  return { machine, name, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * npm looks at the package as if it published it, and what it corrects or refuses ends the release.
 */
function tryPublishing(path) {
  const tag = says.version.includes('-') ? ['--tag', 'next'] : [];
  const { code, out: text, err } = run('npm', 'publish', path, '--dry-run', '--json', ...tag);
  const wrong = err
    .split('\n')
    .filter((line) => /npm (?:warn (?:publish|package-json)|error)/.test(line) && !line.includes('to be logged in'));
  const { id } = Object.values(readJson(text) ?? {})[0] ?? {};
  if (code !== 0 || wrong.length > 0 || id !== `dripstone@${says.version}`)
    throw new Error(`npm publish --dry-run ${path}: ${wrong.join('\n') || err || text}`);
}

/**
 * Provenance says from which commit of which repository a package was built; npm refuses it without
 * that address, and everywhere but on a CI machine that can prove it.
 */
const address = typeof says.repository === 'string' ? says.repository : says.repository?.url;
if (address !== undefined && !/^(?:git\+)?https:\/\/.+|^github:.+/.test(address))
  throw new Error(`package.json: \`repository\` is no address that npm can prove: ${address}`);
const published = address === undefined ? {} : { publishConfig: { access: 'public', provenance: true } };

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
if (address === undefined)
  console.log('package.json names no `repository`: packages for npm have no provenance (docs/release.md)');
audit('--omit=dev');
audit();
const wanted = process.argv.slice(2);
const packed = MACHINES.filter((machine) => wanted.length === 0 || wanted.includes(machine)).map(packFor);
writeFileSync(join(out, 'SHA256SUMS'), packed.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
for (const name of ['dripstone.rb', 'dripstone.scoop.json']) {
  const text = readFileSync(join(root, 'packaging', name), 'utf8').replaceAll('{{VERSION}}', says.version);
  const filled = packed.reduce((all, { machine, sha256 }) => all.replaceAll(`{{SHA256 ${machine}}}`, sha256), text);
  writeFileSync(join(out, name), filled);
  const left = [...new Set([...filled.matchAll(/\{\{[^}]*\}\}/g)].map(([mark]) => mark))];
  console.log(`release/${name}: still to fill in: ${left.join(', ')}`);
}
// dist/ is this machine's again.
if (existsSync(join(root, 'dist'))) must(process.execPath, 'bundle.js');
console.log(`${readdirSync(out).length} files in release/; nothing was published`);
