/**
 * Made-up secrets in the places where logs carry them, and things that only look like secrets. All
 * of it comes from a seed.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pem, pick, seeded, TOKENS, type Random } from './made-up.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const B64 = `${LETTERS}${DIGITS}+/`;
const HEX = '0123456789abcdef';
function mixed(r: Random, length: number): string {
  return `${pick(r, LETTERS, 1)}${pick(r, DIGITS, 1)}Z${pick(r, LETTERS + DIGITS, length - 3)}`;
}
function bytes(r: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(r() * 256)));
}

interface Planted {
  name: string;
  text: string;
  /** None of these may survive: the secret, or each line or half of it. */
  parts: string[];
}

/** Keys of 64 bytes, as storage accounts have them: 88 characters. */
function storageKey(r: Random): string {
  return `${pick(r, B64, 85)}A==`.replace(/^[+/]/, 'k').replace(/^(.)./, '$17');
}

const CARRIERS: Record<string, (name: string, secret: string) => string> = {
  'env line': (name, secret) => `PORT=3000\n${name}=${secret}\nDEBUG=1\n`,
  export: (name, secret) => `$ export ${name}="${secret}" && make deploy`,
  'export in single quotes': (name, secret) => `export ${name}='${secret}'`,
  powershell: (name, secret) => `$env:${name} = "${secret}"`,
  JSON: (name, secret) => JSON.stringify({ env: 'prod', [name]: secret, port: 1 }),
  'JSON in JSON': (name, secret) => JSON.stringify({ body: JSON.stringify({ [name]: secret }) }),
  YAML: (name, secret) => `env:\n  ${name}: ${secret}\n  port: 80\n`,
  'YAML list': (name, secret) => `env:\n  - name: ${name}\n    value: "${secret}"\n`,
  TOML: (name, secret) => `[deploy]\n${name} = "${secret}"\n`,
  python: (name, secret) => `${name} = '${secret}'\nclient = connect(${name})`,
  'diff, added': (name, secret) => `@@ -1,2 +1,3 @@\n PORT=3000\n+${name}=${secret}\n`,
  'diff, removed': (name, secret) =>
    `--- a/env\n+++ b/env\n@@ -1,2 +1 @@\n-${name}: ${secret}\n PORT=3000\n`,
  'diff, kept': (name, secret) => `@@ -1,2 +1,3 @@\n ${name}: "${secret}"\n+PORT=3000\n`,
  flag: (name, secret) => `deploy --${name.toLowerCase().replaceAll('_', '-')} ${secret} --verbose`,
  'flag with =': (name, secret) => `deploy --${name.toLowerCase().replaceAll('_', '-')}=${secret}`,
  'numbered lines': (name, secret) => `     1→PORT=3000\n     2→${name}=${secret}\n     3→`,
  'grep result': (name, secret) => `config/prod.env:14:${name}=${secret}`,
  docker: (name, secret) => `docker run -e ${name}=${secret} -p 80:80 shop`,
  colours: (name, secret) => `\u001b[36m${name}\u001b[0m=\u001b[32m${secret}\u001b[0m`,
  'block of YAML': (name, secret) => `env:\n  ${name}: |\n    ${secret}\nport: 80\n`,
  'lines of a block': (name, secret) =>
    `env:\n  ${name}: |-\n    ${halves(secret).join('\n    ')}\nport: 80\n`,
  'folded lines': (name, secret) =>
    `env:\n  ${name}: >-\n    ${halves(secret).join('\n    ')}\n  port: 80\n`,
  'quoted over two lines': (name, secret) =>
    `env:\n  ${name}: "${halves(secret).join('\\\n    ')}"\n  port: 80\n`,
};

function halves(secret: string): string[] {
  return [
    secret.slice(0, Math.ceil(secret.length / 2)),
    secret.slice(Math.ceil(secret.length / 2)),
  ];
}

const NAMED: [string, (r: Random) => string][] = [
  ['AZURE_STORAGE_KEY', storageKey],
  ['storageAccountKey', storageKey],
  ['AccountKey', storageKey],
  ['API_KEY', (r) => mixed(r, 40)],
  ['CLIENT_SECRET', (r) => mixed(r, 32)],
  [
    'BOT_TOKEN',
    (r) =>
      `${Buffer.from(`9${pick(r, DIGITS, 17)}`).toString('base64url')}.${mixed(r, 6)}.${mixed(r, 38)}`,
  ],
  ['DB_PASSWORD', (r) => mixed(r, 18)],
];

/** Kind of the secret, name, and text with § in its place. */
const PLACES = JSON.parse(readFileSync(join(import.meta.dirname, 'places.json'), 'utf8')) as [
  string,
  string,
  string,
][];

function elsewhere(r: Random): Planted[] {
  const key = (): string => storageKey(r);
  /** The place of the secret is § in the text. */
  const one = (name: string, secret: string, text: string): Planted => ({
    name,
    text: text.split('§').join(secret),
    parts: [secret],
  });
  const pemData = (label: string): string =>
    Buffer.from(`${pem(r, label, 3)}\n`).toString('base64');
  const signature = (): string => encodeURIComponent(bytes(r, 32).toString('base64'));
  const dotted = (): string => `${mixed(r, 26)}.${mixed(r, 6)}.${mixed(r, 38)}`;
  const telegram = (): string => `${pick(r, '123456789', 10)}:AA${mixed(r, 33)}`;
  const colour = (secret: string): string =>
    `${secret.slice(0, 9)}\u001b[1;31m${secret.slice(9, 20)}\u001b[0m${secret.slice(20)}`;
  /** What stands behind the second colour; some are shorter. */
  const rest = (secret: string): string[] => (secret.length > 24 ? [secret.slice(20)] : []);
  const tokens = TOKENS.filter(({ name }) =>
    /github-pat|openai-old|slack-bot|npm-access|gitlab|aws-access|stripe-access/.test(name),
  );
  const secrets: Record<string, () => string> = {
    ...{ key, signature, dotted, telegram, 'url key': () => encodeURIComponent(key()) },
    password: () => mixed(r, 14),
  };
  const client = 'client key of a kubeconfig';
  const head = 'users:\n- name: ana\n  user:\n    client-certificate-data: LS0tLS1CRUdJTg==\n';
  return [
    ...PLACES.map(([secret, name, text]) => one(name, secrets[secret]!(), text)),
    ...['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY'].flatMap((label) => [
      one(`${client}, ${label}`, pemData(label), `${head}    client-key-data: §\n`),
      one(`${client} in JSON, ${label}`, pemData(label), '{"user":{"client-key-data":"§"}}'),
      one(`${client} in a diff, ${label}`, pemData(label), '+    client-key-data: §'),
      one(
        `${client} in lines, ${label}`,
        pemData(label).replaceAll(/.{76}(?=.)/g, '$&\n      '),
        '    client-key-data: >-\n      §\n',
      ),
    ]),
    ...tokens.flatMap(({ name, secret }) => {
      const value = secret(r);
      return [
        {
          name: `${name}, colours inside`,
          text: `found ${colour(value)} in it`,
          parts: [value, `${value.slice(0, 9)}\u001b`, ...rest(value)],
        },
        {
          name: `${name}, escaped colours inside`,
          text: JSON.stringify(`found ${colour(value)} in it`),
          parts: [value, ...rest(value)],
        },
        { name: `${name}, coloured`, text: `\u001b[32m${value}\u001b[0m`, parts: [value] },
      ];
    }),
    ...tokens.map(({ name, secret }) => {
      const [a, b] = halves(secret(r)) as [string, string];
      return {
        name: `${name}, glued in code`,
        text: `token = "${a}" +\n    "${b}"\nuse(token)`,
        parts: [a, b],
      };
    }),
  ];
}

/** At least 460 of them, in some sixty places. */
export function planted(seed: number): Planted[] {
  const r = seeded(seed);
  const named = NAMED.flatMap(([name, secret]) =>
    Object.entries(CARRIERS).map(([carrier, place]): Planted => {
      const value = secret(r);
      const isSplit = /lines/.test(carrier) && carrier !== 'numbered lines';
      return {
        name: `${name}, ${carrier}`,
        text: place(name, value),
        parts: isSplit ? halves(value) : [value],
      };
    }),
  );
  const bare = TOKENS.flatMap(({ name, secret, place }) =>
    ['said', 'diff', 'JSON', 'log'].map((carrier): Planted => {
      const value = secret(r);
      const text = place?.(value) ?? value;
      return {
        name: `${name}, ${carrier}`,
        parts: [value],
        text:
          carrier === 'said'
            ? `it uses ${text} for that`
            : carrier === 'diff'
              ? `+  ${text}`
              : carrier === 'JSON'
                ? JSON.stringify({ a: [text] })
                : `2026-11-02 INFO sent ${text}`,
      };
    }),
  );
  return [...named, ...bare, ...elsewhere(r)];
}

const WORDS =
  'render parse order total invoice kettle lemon copper ladder wagon tundra velvet'.split(' ');

/** Hashes, ids, placeholders, names and code that must come back as they are; at least 212. */
export function lookAlikes(seed: number): string[] {
  const r = seeded(seed);
  const hex = (length: number): string => pick(r, HEX, length);
  const word = (): string => WORDS[Math.floor(r() * WORDS.length)]!;
  const sha512 = (): string => createHash('sha512').update(hex(20)).digest('base64');
  const sha256 = (): string => createHash('sha256').update(hex(20)).digest('base64');
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const camel = (): string =>
    `${word()}${[word(), word(), word()].map((each) => each[0]!.toUpperCase() + each.slice(1)).join('')}`;
  const makers: (() => string)[] = [
    () => `"integrity": "sha512-${sha512()}"`,
    () => `integrity sha512-${sha512()}`,
    () =>
      `<script integrity="sha384-${createHash('sha384').update(hex(9)).digest('base64')}" src="/a.js">`,
    () => `${word()}.tgz  sha512: ${sha512()}`,
    () => `digest = ${sha512()}`,
    () => `h1:${sha256()}`,
    () => `+    "checksum": "${hex(64)}",`,
    () => `-      sha256 = "${hex(64)}"`,
    () => `commit ${hex(40)}\nAuthor: Ana`,
    () => `primary_key: ${uuid()}`,
    () => `{"id":"${uuid()}","storage":"blob","name":"${word()}"}`,
    () => `primaryKey: "${word()}_id", storageKey: "${word()}-${word()}"`,
    () => `const storageKey = 'shop.${word()}.v2'; localStorage.getItem(storageKey)`,
    () => `localStorage key ${word()}:${word()}:v${Math.floor(r() * 9)}`,
    () => `AccountKey=<your-account-key>;EndpointSuffix=core.windows.net`,
    () => `AZURE_STORAGE_KEY=$\{${word().toUpperCase()}_KEY}`,
    () =>
      `client-key-data: REDACTED\n    client-certificate-data: ${Buffer.from(
        `-----BEGIN CERTIFICATE-----\n${pick(r, B64, 120)}`,
      )
        .toString('base64')
        .slice(0, 160)}`,
    () => `description: |\n  ${word()} and ${word()}\n  ${camel()}\n`,
    () => `run: |\n  make\n  ${word()}\n  ./${word()}.sh\n`,
    () => `files: >-\n  ${word()}/${word()}.ts\n  ${word()}.py\n`,
    () => `${camel()}.${word()}.${camel()}()`,
    () => `com.example.${camel()}.${word()}.${camel()}Factory`,
    () => `\u001b[32m+${camel()}\u001b[0m \u001b[31m-${word()}-${word()}-${word()}\u001b[0m`,
    () => `\u001b[1m${hex(40)}\u001b[0m ${word()}`,
    () => `SELECT password FROM users WHERE name = '${word()}'`,
    () => `password | text | not null\n name | text |`,
    () => `the password field, ${word()}; PASSWORD must be set`,
    () => `"${camel()}" + "${camel()}"`,
    () => `docker pull shop@sha256:${hex(64)}`,
    () => `etag: "${hex(32)}" cache-key: ${word()}-${hex(40)}`,
  ];
  return Array.from({ length: 8 }, () => makers.map((make) => make())).flat();
}
