/**
 * Made-up secrets of many kinds, from a seed: nothing that looks like a key stands in this file.
 */

export type Random = () => number;

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const WEB = `${ALNUM}_-`;
const HEX = '0123456789abcdef';
const B64 = `${ALNUM}+/`;

export function pick(random: Random, from: string, length: number): string {
  let text = '';
  while (text.length < length) text += from[Math.floor(random() * from.length)];
  return text;
}

/** Letters and digits, at least one of each. */
function mixed(r: Random, length: number): string {
  return `${pick(r, LOWER, 1)}${pick(r, DIGITS, 1)}${pick(r, UPPER, 1)}${pick(r, ALNUM, length - 3)}`;
}
function web(r: Random, length: number): string {
  return `${mixed(r, 3)}${pick(r, WEB, length - 4)}${pick(r, ALNUM, 1)}`;
}
function hex(r: Random, length: number): string {
  return `a1${pick(r, HEX, length - 2)}`;
}
function json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export interface Kind {
  name: string;
  /** What must not survive. */
  secret(r: Random): string;
  /** The text around it; by default the bare secret in a sentence. */
  place?(secret: string): string;
}

/** @param place the text around the secret, which is § there */
function kind(name: string, secret: (r: Random) => string, place?: string): Kind {
  return place === undefined
    ? { name, secret }
    : { name, secret, place: (value) => place.split('§').join(value) };
}

/** Secrets that show what they are wherever they stand. */
export const TOKENS: readonly Kind[] = [
  kind('aws-access-token', (r) => `AKIA${pick(r, UPPER + '234567', 16)}`),
  kind('aws-session-key', (r) => `ASIA${pick(r, UPPER + '234567', 16)}`),
  kind('aws-bedrock-long', (r) => `ABSK${mixed(r, 130)}`),
  kind('aws-bedrock-short', (r) => `bedrock-api-key-${mixed(r, 90)}`),
  kind('gcp-api-key', (r) => `AIza${web(r, 35)}`),
  kind('google-oauth', (r) => `ya29.${web(r, 60)}`),
  kind('google-client-secret', (r) => `GOCSPX-${web(r, 28)}`),
  kind(
    'azure-ad-client-secret',
    (r) => `${pick(r, ALNUM, 3)}8Q~${pick(r, WEB, 30)}${pick(r, ALNUM, 4)}`,
  ),
  kind('github-pat', (r) => `ghp_${mixed(r, 36)}`),
  kind('github-fine-grained-pat', (r) => `github_pat_${mixed(r, 82)}`),
  kind('github-oauth', (r) => `gho_${mixed(r, 36)}`),
  kind('github-app-token', (r) => `ghs_${mixed(r, 36)}`),
  kind('gitlab-pat', (r) => `glpat-${web(r, 20)}`),
  kind('npm-access-token', (r) => `npm_${mixed(r, 36)}`),
  kind('npm-access-token with lines', (r) => `npm_${mixed(r, 12)}_${mixed(r, 11)}_${mixed(r, 11)}`),
  kind('slack-refresh-token, short', (r) => `xoxr-${mixed(r, 3)}-${mixed(r, 4)}`),
  kind(
    'slack-webhook-url, short',
    (r) => `T${pick(r, UPPER, 3)}/B${pick(r, UPPER, 4)}/${mixed(r, 7)}`,
    `https://hooks.slack.com/services/§`,
  ),
  kind('aws-access-token, old', (r) => `A3T${pick(r, UPPER + DIGITS, 17)}`),
  kind('pypi-upload-token', (r) => `pypi-AgEIcHlwaS5vcmc${web(r, 70)}`),
  kind('rubygems-token', (r) => `rubygems_${hex(r, 48)}`),
  kind(
    'slack-bot-token',
    (r) => `xoxb-${pick(r, DIGITS, 12)}-${pick(r, DIGITS, 12)}-${mixed(r, 24)}`,
  ),
  kind(
    'slack-webhook-url',
    (r) => `T${pick(r, UPPER, 8)}/B${pick(r, UPPER, 8)}/${mixed(r, 24)}`,
    `https://hooks.slack.com/services/§`,
  ),
  kind('stripe-access-token', (r) => `sk_live_${mixed(r, 24)}`),
  kind('stripe-restricted', (r) => `rk_test_${mixed(r, 24)}`),
  kind('openai-api-key', (r) => `sk-proj-${web(r, 74)}T3BlbkFJ${web(r, 74)}`),
  kind('openai-old-key', (r) => `sk-${mixed(r, 20)}T3BlbkFJ${mixed(r, 20)}`),
  kind('anthropic-api-key', (r) => `sk-ant-api03-${web(r, 93)}AA`),
  kind('openrouter-key', (r) => `sk-or-v1-${hex(r, 64)}`),
  kind('huggingface-access-token', (r) => `hf_${pick(r, LOWER + UPPER, 34)}`),
  kind('groq-key', (r) => `gsk_${mixed(r, 52)}`),
  kind('sendgrid-api-token', (r) => `SG.${web(r, 22)}.${web(r, 43)}`),
  kind('twilio-api-key', (r) => `SK${hex(r, 32)}`),
  kind('mailgun-key', (r) => `key-${hex(r, 32)}`),
  kind('mailchimp-key', (r) => `${hex(r, 32)}-us14`),
  kind(
    'discord-api-token',
    (r) =>
      `${Buffer.from(`7${pick(r, DIGITS, 17)}`).toString('base64url')}.${web(r, 6)}.${web(r, 38)}`,
  ),
  kind(
    'discord-webhook',
    (r) => web(r, 68),
    `https://discord.com/api/webhooks/123456789012345678/§`,
  ),
  kind('telegram-bot-api-token', (r) => `${pick(r, '123456789', 10)}:AA${web(r, 33)}`),
  kind(
    'jwt',
    (r) =>
      `${json({ alg: 'HS256', typ: 'JWT' })}.${json({ sub: pick(r, DIGITS, 8), name: 'Ana' })}.${web(r, 43)}`,
  ),
  kind('databricks-api-token', (r) => `dapi${hex(r, 32)}`),
  kind('digitalocean-pat', (r) => `dop_v1_${hex(r, 64)}`),
  kind('heroku-api-key-v2', (r) => `HRKU-AA${web(r, 58)}`),
  kind('linear-api-key', (r) => `lin_api_${mixed(r, 40)}`),
  kind('notion-api-token', (r) => `ntn_${pick(r, DIGITS, 11)}${mixed(r, 35)}`),
  kind('shopify-access-token', (r) => `shpat_${hex(r, 32)}`),
  kind('vault-service-token', (r) => `hvs.${web(r, 95)}`),
  kind(
    'age-secret-key',
    (r) => `AGE-SECRET-KEY-1${pick(r, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  ),
  kind('1password-service-account-token', (r) => `ops_eyJ${mixed(r, 260)}`),
  kind(
    '1password-secret-key',
    (r) =>
      `A3-${pick(r, UPPER, 6)}-${pick(r, UPPER, 6)}-${['', '', '', ''].map(() => pick(r, UPPER + DIGITS, 5)).join('-')}`,
  ),
  kind('docker-pat', (r) => `dckr_pat_${web(r, 27)}`),
  kind('figma-pat', (r) => `figd_${web(r, 40)}`),
  kind('grafana-service-account', (r) => `glsa_${mixed(r, 32)}_${hex(r, 8)}`),
  kind('sentry-user-token', (r) => `sntryu_${hex(r, 64)}`),
  kind('doppler-token', (r) => `dp.pt.${mixed(r, 43)}`),
  kind('pulumi-token', (r) => `pul-${hex(r, 40)}`),
  kind('planetscale-password', (r) => `pscale_pw_${web(r, 43)}`),
  kind('postman-key', (r) => `PMAK-${hex(r, 24)}-${hex(r, 34)}`),
  kind('newrelic-user-key', (r) => `NRAK-${pick(r, UPPER + DIGITS, 27)}`),
  kind('atlassian-token', (r) => `ATATT3${web(r, 186)}`),
  kind('airtable-pat', (r) => `pat${mixed(r, 14)}.${hex(r, 64)}`),
  kind('terraform-token', (r) => `${mixed(r, 14)}.atlasv1.${web(r, 66)}`),
  kind('supabase-token', (r) => `sbp_${hex(r, 40)}`),
  kind('netlify-token', (r) => `nfp_${mixed(r, 36)}`),
  kind('fly-token', (r) => `fm2_${pick(r, B64, 120)}`),
  kind('tailscale-key', (r) => `tskey-auth-${mixed(r, 12)}-${mixed(r, 32)}`),
  kind('langsmith-key', (r) => `lsv2_pt_${hex(r, 32)}_${hex(r, 10)}`),
  kind('bcrypt-hash', (r) => `$2b$12$${pick(r, ALNUM + './', 53)}`),
  kind('bcrypt-hash with a full stop at its end', (r) => `$2b$12$${pick(r, ALNUM + './', 52)}.`),
  kind('sha256-crypt', (r) => `$5$${mixed(r, 8)}$${pick(r, ALNUM + './', 43)}`),
  kind('sha512-crypt', (r) => `$6$${mixed(r, 12)}$${pick(r, ALNUM + './', 86)}`),
  kind('argon2id', (r) => `$argon2id$v=19$m=65536,t=3,p=4$${pick(r, B64, 22)}$${pick(r, B64, 43)}`),
];

/** Secrets known by what stands beside them. */
export const KEYED: readonly Kind[] = [
  kind('.env line', (r) => mixed(r, 20), `DEBUG=1\nDB_PASSWORD=§\nPORT=3000`),
  kind(
    'column',
    (r) => mixed(r, 20),
    `DB_HOST        db.shop.test\nDB_PASSWORD    §\nDB_PORT   5432`,
  ),
  kind('.env quoted', (r) => mixed(r, 20), `export API_SECRET="§"`),
  kind('.env word', (r) => pick(r, LOWER, 14), `POSTGRES_PASSWORD=§`),
  kind('.env with symbols', (r) => `${mixed(r, 8)}!@%^${mixed(r, 4)}`, `SMTP_PASSWORD=§\n`),
  kind(
    'a UUID under a key',
    (r) => `${hex(r, 8)}-${hex(r, 4)}-4${hex(r, 3)}-a${hex(r, 3)}-${hex(r, 12)}`,
    `HEROKU_API_KEY=§`,
  ),
  kind('JSON', (r) => mixed(r, 24), `{"name": "shop", "apiKey": "§"}`),
  kind('short JSON password', () => 'hunter2', `{"user":"ana","password":"§"}`),
  kind('YAML', (r) => mixed(r, 24), `db:\n  user: ana\n  password: §\n`),
  kind('YAML quoted', (r) => mixed(r, 24), `client_secret: '§'`),
  kind('TOML', (r) => mixed(r, 24), `access_token = "§"`),
  kind('properties', (r) => mixed(r, 16), `spring.datasource.password=§`),
  kind('code', (r) => mixed(r, 16), `const password = '§';`),
  kind('python keyword', (r) => mixed(r, 16), `connect(user="ana", password="§")`),
  kind('typed default', (r) => mixed(r, 16), `def f(secret: str = "§"): ...`),
  kind('XML', (r) => mixed(r, 16), `<password>§</password>`),
  kind('XML attribute', (r) => mixed(r, 24), `<add key="ApiKey" value="§" />`),
  kind('compose environment', (r) => mixed(r, 24), `- name: AUTH_TOKEN\n  value: §\n`),
  kind('flag', (r) => mixed(r, 16), `deploy --password § --verbose`),
  kind('flag with =', (r) => mixed(r, 24), `deploy --api-key=§`),
  kind('sentence', (r) => mixed(r, 12), `the password is §, please use it`),
  kind(
    'sentence with a value that begins like a version',
    (r) => `v${mixed(r, 12).slice(1)}`,
    `the password is §, please use it`,
  ),
  kind(
    'sentence with a value that begins like a cipher',
    (r) => `aes${mixed(r, 12)}`,
    `the token is §`,
  ),
  kind(
    'query string',
    (r) => mixed(r, 32),
    `GET https://api.shop.test/v1?limit=3&access_token=§&x=1`,
  ),
  kind(
    'curl-auth-header',
    (r) => mixed(r, 40),
    `curl -H "Authorization: Bearer §" https://api.shop.test`,
  ),
  kind(
    'basic header',
    (r) => Buffer.from(`ana:${mixed(r, 12)}`).toString('base64'),
    `Authorization: Basic §`,
  ),
  kind('token header', (r) => mixed(r, 40), `"Authorization": "token §"`),
  kind('x-api-key', (r) => mixed(r, 32), `X-Api-Key: §`),
  kind('curl-auth-user', (r) => mixed(r, 12), `curl -u ana:§ https://api.shop.test`),
  kind('cookie', (r) => mixed(r, 40), `Cookie: theme=dark; session=§`),
  kind('URL userinfo', (r) => mixed(r, 14), `git clone https://ana:§@git.shop.test/shop.git`),
  kind('token as user', (r) => mixed(r, 30), `https://§@git.shop.test/shop.git`),
  kind('postgres URL', (r) => mixed(r, 14), `postgres://app:§@db.shop.test:5432/shop`),
  kind('mongodb URL', (r) => mixed(r, 14), `mongodb+srv://app:§@cluster0.shop.test/shop`),
  kind('redis URL without user', (r) => mixed(r, 14), `redis://:§@cache:6379`),
  kind('ADO connection', (r) => mixed(r, 14), `Server=db;Database=shop;User Id=app;Password=§;`),
  kind(
    'azure storage',
    (r) => `${pick(r, B64, 85)}a==`,
    `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=§;EndpointSuffix=core`,
  ),
  kind(
    'azure storage, a sign first',
    (r) => `+${mixed(r, 40)}${pick(r, B64, 44)}a==`,
    `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=§;EndpointSuffix=core`,
  ),
  kind('aws secret', (r) => `${mixed(r, 20)}/${pick(r, B64, 18)}a`, `aws_secret_access_key = §`),
  kind('mysql -p', (r) => mixed(r, 10), `mysql -u root -p§ shop`),
  kind('sshpass', (r) => mixed(r, 10), `sshpass -p § ssh ana@host`),
  kind('docker login', (r) => mixed(r, 16), `docker login -u ana -p § registry.shop.test`),
  kind('redis-cli', (r) => mixed(r, 12), `redis-cli -h cache -a § ping`),
  kind('netrc', (r) => mixed(r, 12), `machine git.shop.test login ana password §`),
  kind('.npmrc', (r) => hex(r, 36), `//registry.shop.test/:_authToken=§`),
  kind('.npmrc, letters', (r) => pick(r, LOWER, 24), `//registry.shop.test/:_authToken=§`),
  kind(
    'kubernetes-secret-yaml',
    (r) => Buffer.from(mixed(r, 15)).toString('base64'),
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  db: §\n`,
  ),
  kind(
    'docker config',
    (r) => Buffer.from(`ana:${mixed(r, 24)}`).toString('base64'),
    `{"auths":{"registry.shop.test":{"auth":"§"}}}`,
  ),
  kind(
    'seed phrase',
    () => 'orbit lemon cradle fiscal tundra velvet amused copper siren wagon ladder pepper',
    `mnemonic: "§"`,
  ),
  kind('setdefault', (r) => mixed(r, 24), `os.environ.setdefault("API_TOKEN", "§")`),
  kind('docker ENV', (r) => mixed(r, 24), `ENV SECRET_KEY=§`),
  kind('rails', (r) => hex(r, 128), `SECRET_KEY_BASE=§`),
];

/** A PEM block with lines of 64. */
export function pem(r: Random, label = 'RSA PRIVATE KEY', lines = 12): string {
  const body = Array.from({ length: lines }, () => pick(r, B64, 64)).join('\n');
  return `-----BEGIN ${label}-----\nMII${body}\n-----END ${label}-----`;
}
