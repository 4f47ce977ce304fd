import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/redact/index.js';
import { pick, seeded } from './made-up.js';

const redactor = createRedactor({ key: 'test' });
function same(texts: string[]): void {
  expect(redactor.redact(texts)).toEqual(texts);
}

describe('left alone', () => {
  test.each([
    'AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'export OPENAI_API_KEY=YOUR_API_KEY',
    'API_KEY=<YOUR_KEY>',
    'token: ${{ secrets.GITHUB_TOKEN }}',
    'curl -H "Authorization: Bearer $GITHUB_TOKEN" https://api.shop.test',
    'password: ${DB_PASSWORD}',
    'PASSWORD=$(cat /run/secrets/db)',
    'api_key: "{{ api_key }}"',
    'sk-ant-...',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'const token = getToken();',
    'const token = await auth.getAccessToken({ scope });',
    'password: string;',
    'def login(user: str, password: str) -> Token:',
    'self.password = password',
    'secret = os.environ["SECRET_NAME"]',
    'apiKey: process.env.SHOP_API_KEY,',
    'if (password === confirmation) return;',
    'password := r.FormValue("password")',
    '{ "type": "password", "label": "Password", "placeholder": "Your password" }',
    '"password": "Passwort"',
    'max_tokens: 4096, token_count: 128, tokens=512',
    'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")',
    'primary_key: order_id; sort_key: created_at; cacheKey = "shop:orders:v2"',
    'for (const key of Object.keys(map)) out[key] = map[key];',
    'const cacheKey = `${prefix}:orders`;',
    'the token is expired, the password is wrong, the secret is base64-encoded',
    'git clone git@github.com:ana/shop.git',
    'Co-Authored-By: Agent <noreply@agent.test>',
    'https://github.com/ana/shop@v1.2.3 and actions/checkout@v4',
    'npm i react@18.3.1 @types/node@20 icon@2x.png',
    'postgres://user:password@localhost:5432/shop',
    'redis://localhost:6379/0 http://localhost:3000/a@b',
    'sha512-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEg==',
    'eyJhbGciOi is how a token begins',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
    'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):\n    parse(line)\n    if line.endswith("-----END RSA PRIVATE KEY-----"):\n        stop()',
    '2026-11-20T10:15:30+01:00 +100 -50 x+1234567',
    'int main(void) { return +1 234 567; }',
    'PWD=/home/ana/shop OLDPWD=/home/ana',
    '--- PASS: TestCart_Total (0.00s)',
    'echo "$TOKEN" | docker login --password-stdin',
    'curl -u "$USER:$PASS" https://api.shop.test',
    'kind: Secret\nmetadata:\n  name: shop\ntype: Opaque\ndata: {}\n',
  ])('%j', (text) => {
    same([text]);
  });

  test('git SHAs, UUIDs, digests and lock files', () => {
    const random = seeded(17);
    const lines = Array.from({ length: 4000 }, (_, i) => {
      const hex = pick(random, '0123456789abcdef', 64);
      const base64 = createHash('sha512').update(hex).digest('base64');
      switch (i % 8) {
        case 0:
          return `commit ${hex.slice(0, 40)}`;
        case 1:
          return `id=${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
        case 2:
          return `"integrity": "sha512-${base64}",`;
        case 3:
          return `"checksum": "${hex}"`;
        case 4:
          return `index ${hex.slice(0, 7)}..${hex.slice(7, 14)} 100644`;
        case 5:
          return `etag: W/"${hex.slice(0, 32)}"`;
        case 6:
          return `h1:${createHash('sha256').update(hex).digest('base64')}`;
        default:
          return `sha256:${hex} ${i}.${i % 7}.0 took ${i} ms`;
      }
    });
    same(lines);
    same([lines.join('\n')]);
  });

  test('source code and minified code of this project and its dependencies: at most 0.5 % of the lines', () => {
    const paths = [
      'node_modules/zod/v4/core/schemas.js',
      'node_modules/yaml/dist/parse/lexer.js',
      'node_modules/better-queue/lib/queue.js',
      'node_modules/typescript/lib/typescript.d.ts',
      'package-lock.json',
      'src/redact/key-values.ts',
      'src/redact/keyed.ts',
      'src/redact/redactor.ts',
    ];
    const texts = paths.map((path) => readFileSync(path, 'utf8'));
    const masked = redactor.redact(texts);
    let lines = 0;
    const changed: string[] = [];
    texts.forEach((text, i) => {
      const after = new Set((masked[i] as string).split('\n'));
      const before = text.split('\n');
      lines += before.length;
      changed.push(
        ...before
          .filter((line) => !after.has(line) && !/@[\w-]+\.[a-z]/.test(line))
          .map((line) => `${paths[i] as string}: ${line.slice(0, 120)}`),
      );
    });
    expect(changed.length / lines, changed.slice(0, 5).join('\n')).toBeLessThan(0.005);
  });
});
