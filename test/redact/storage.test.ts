import { describe, expect, test } from 'vitest';
import { planStorage, storable } from '../../src/redact/index.js';
import { filesShown, filesWritten, isSecretPath } from '../../src/shell/index.js';
import type { RawEntry } from '../../src/types.js';

const NOTHING = { tool: null, call: null, command: null, exit: null, outcome: null, branch: null };
function raw(part: Partial<RawEntry>): RawEntry {
  const call = { native: 'n', time: null, role: 'tool_call', origin: 'agent' } as const;
  return { ...call, ...NOTHING, text: '', files: [], cwd: '/work/shop', ...part };
}

const SECRET_FILES = `.env .env.local /work/shop/.env.production prod.env server.pem tls.key id_rsa
  /home/ana/.ssh/id_ed25519 .npmrc .pypirc ~/.netrc ~/.kube/config kubeconfig kubeconfig.yaml
  credentials credentials.json ~/.aws/credentials prod.tfvars C:\\shop\\.env "/work/shop/.env"
  .git-credentials ~/.docker/config.json secrets.yaml`;
const PLAIN_FILES = `src/env.ts environment.md keys.ts monkey.py id_generator.py README.md
  src/npmrc.ts package.json ~/.ssh/config docs/pem.md tokens.css`;

test.each(SECRET_FILES.split(/\s+/))('%s holds secrets', (path) =>
  expect(isSecretPath(path)).toBe(true),
);
test.each(['', ...PLAIN_FILES.split(/\s+/)])('%j does not', (path) =>
  expect(isSecretPath(path)).toBe(false),
);

describe('shell commands', () => {
  test.each([
    ['cat .env', ['.env']],
    ['cd /work/shop && cat .env | grep URL', ['.env', 'URL']],
    ['head -n 5 .env', ['.env']],
    ['head -5 a/.env', ['a/.env']],
    ["sed -n '1,20p' .env", ['.env']],
    ['sudo tail -f "/var/log/my app.log"', ['/var/log/my app.log']],
    ['base64 < id_rsa', ['id_rsa']],
    ['wc -l <secrets.yml', ['secrets.yml']],
    ['A=1 /bin/cat x 2>/dev/null', ['x']],
    ['sudo -u app cat .env', ['.env']],
    ['timeout 5 cat .env', ['.env']],
    ["bash -c 'cat .env'", ['.env']],
    ['docker exec web cat .env', ['.env']],
    ['git show HEAD:.env', ['show', '.env']],
    ['echo .env | xargs cat .env', ['.env']],
    ['X=$(echo "it\'s") && cat .env', ['.env']],
    ['npm test', []],
    ['echo hi > out.txt', []],
  ])('%s shows', (command, files) => {
    expect(filesShown(command).filter((file) => file !== '2' && file !== '/dev/null')).toEqual(
      files,
    );
  });

  test.each([
    ["cat > .env <<'EOF'\nA=1\nEOF", ['.env']],
    ['echo "A=1" >> .env', ['.env']],
    ['echo A | tee -a .env', ['.env']],
    ['printf x >.env', ['.env']],
    ['make 2>&1 | tail', []],
    ['node -e "a => b"', []],
  ])('%s writes', (command, files) => {
    expect(filesWritten(command).filter((file) => /env/.test(file))).toEqual(files);
  });
});

describe('planStorage', () => {
  const [read, shown] = [{ tool: 'Read' }, { role: 'tool_result', origin: 'tool' }] as const;
  const env = '/work/shop/.env';
  const cat = 'cat .env';
  const heredoc = 'cat > .env <<E\nA=1\nE';
  const user: Partial<RawEntry> = { role: 'user', files: ['.env'] };
  test.each<[string, Partial<RawEntry>, string[] | null]>([
    ['reading a secret file', { ...read, files: [env], text: env }, [env]],
    ['what it shows', { ...shown, files: [env], text: 'A=1' }, [env]],
    ['editing it', { tool: 'Edit', files: ['.env'], text: '.env\n+A=1' }, ['.env']],
    ['a patch of several files', { tool: 'apply_patch', files: ['a.ts', '.env'] }, ['.env']],
    ['cat of it', { ...shown, tool: 'Bash', command: cat, text: 'A=1' }, ['.env']],
    ['the call of that cat', { tool: 'Bash', command: cat, text: cat }, null],
    ['a heredoc into it', { tool: 'Bash', command: heredoc, text: heredoc }, ['.env']],
    ['the user naming it', { ...user, origin: 'user', text: 'look at .env' }, null],
    ['an injected copy of it', { ...user, origin: 'injected', text: 'A=1' }, ['.env']],
    ['any other file', { ...read, files: ['src/a.ts'], text: 'src/a.ts' }, null],
  ])('%s', (_name, part, paths) => {
    expect(planStorage(raw(part), {})).toEqual(
      paths === null ? { store: 'keep' } : { store: 'drop-content', paths },
    );
  });

  test('an ignored path', () => {
    const rules = {
      isIgnored: (path: string, cwd: string | null) =>
        cwd === '/work/shop' && path.startsWith('dump/'),
    };
    expect(planStorage(raw({ files: ['dump/all.sql'] }), rules).store).toBe('drop-content');
    expect(planStorage(raw({ files: ['dump/all.sql'], cwd: '/else' }), rules).store).toBe('keep');
  });

  test('dropped content leaves the path; the command of a result stays', () => {
    const text = '.env [content not stored]';
    const result = raw({ ...shown, command: cat, text: 'A=1', exit: 0, outcome: 'ok' });
    expect(storable(result, planStorage(result, {}))).toEqual({ ...result, text });
    const call = raw({ command: 'echo A=1 > .env', text: 'echo A=1 > .env' });
    expect(storable(call, planStorage(call, {}))).toMatchObject({ text, command: text });
  });

  test('an edit is cut to 4 KiB at a line end', () => {
    const long = `a.ts\n${'+const x = 1;\n'.repeat(1000)}`;
    const edit = raw({ tool: 'Edit', files: ['a.ts'], text: long });
    const { text } = storable(edit, planStorage(edit, {}));
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text).toMatch(/^a\.ts\n\+const x = 1;\n[\s\S]*;\n\[… \d+ characters left out\]$/);
    const short = raw({ tool: 'Edit', text: 'a.ts\n+x' });
    expect(storable(short, { store: 'keep' })).toBe(short);
  });
});
