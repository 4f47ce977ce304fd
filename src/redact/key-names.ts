/**
 * How certain a name marks a secret value. `weak` needs a random-looking value, `storage` the 64
 * bytes of a storage account's key.
 */
export type KeyClass =
  'password' | 'secret' | 'token' | 'weak' | 'storage' | 'signature' | 'cookie' | 'mnemonic';

/** Words that trigger a check of the name around them. */
export const KEY_WORDS: readonly string[] = (
  'pass,pwd,secret,token,key,auth,credential,cookie,sig=,signature=,sid=,salt,jwt,mnemonic,seed_phrase,seed phrase,' +
  'seedphrase,kennwort'
).split(',');

const KEY_BEFORE = new Set(
  (
    'api access secret private auth encryption encrypt encrypted signing sign master account shared license app ' +
    'application deploy ssh gpg client consumer subscription admin root session hmac jwt webhook crypto cipher aes rsa ' +
    'management ingest functions host service security anon publishable server wallet signer deployer mining validator ' +
    'publisher user project bot oauth integration personal merchant store fernet'
  ).split(' '),
);
/**
 * Names of passwords, tokens and secrets in other languages, also inside a longer name: `db_senha`,
 * `パスワード`, `mot de passe`.
 */
const OTHER_LANGUAGES: readonly [KeyClass, string][] = [
  [
    'password',
    'contraseña|contrasena|senha|palavra-passe|palavra passe|mot de passe|motdepasse|mot_de_passe|' +
      'wachtwoord|lösenord|losenord|passord|adgangskode|salasana|parool|slaptažodis|hasło|haslo|heslo|' +
      'geslo|lozinka|jelszó|jelszo|parola|şifre|sifre|пароль|лозинка|парола|κωδικός πρόσβασης|' +
      'סיסמה|סיסמא|كلمة المرور|كلمة السر|رمز عبور|पासवर्ड|รหัสผ่าน|mật khẩu|kata sandi|' +
      'パスワード|暗証番号|密码|密碼|口令|비밀번호|암호',
  ],
  [
    'token',
    'токен|секретный ключ|ключ api|api-ключ|секрет|geheimer schlüssel|api-schlüssel|geheimnis|clé secrète|' +
      "clé api|clé d’api|clé d'api|jeton|clave secreta|clave privada|clave api|clave de api|" +
      'chave secreta|chave privada|chave api|chave de api|chiave segreta|chiave api|segredo|' +
      'トークン|シークレット|秘密鍵|apiキー|密钥|密鑰|秘钥|令牌|토큰|비밀키|시크릿|api 키',
  ],
];
/** Words with composed letters, and with separate accents. */
const spelt = (words: string): string =>
  [...new Set([...words.split('|'), ...words.normalize('NFD').split('|')])].join('|');
/** A name in another language, and words after it: `пароль от базы`. */
const OTHER_NAMES = OTHER_LANGUAGES.map(
  ([kind, words]) =>
    [
      kind,
      new RegExp(
        `(?:${spelt(words)})(?:_[a-z]{1,20}|[ \\u00a0](?:de|del|da|do|di|pour|para|для|от|к|für|för|til)` +
          '(?: [^\\s:=：＝]{1,30}){1,5}(?=[ \\u00a0]?[:=：＝]))?',
        'giu',
      ),
    ] as const,
);
/** The first letter beyond ASCII of each name, and the two letters that equal an ASCII letter. */
export const OTHER_LETTERS = OTHER_LANGUAGES.flatMap(([, words]) => spelt(words).split('|'))
  .map((word) => /[^\x00-\x7f]/.exec(word)?.[0] ?? '')
  .concat('\u017f\u212a')
  .join('');
/** The names that have only ASCII letters. */
export const OTHER_WORDS = (
  'senha|contrasena|palavra|mot de passe|motdepasse|mot_de_passe|wachtwoord|losenord|passord|adgangskode|salasana|parool|haslo|' +
  'heslo|geslo|lozinka|jelszo|parola|sifre|kata sandi|geheim|clave |chave |chiave |segredo|jeton'
).split('|');

/** Names in other languages in a text, with the class of each. */
export function otherNames(
  text: string,
): { text: string; start: number; end: number; kind: KeyClass }[] {
  return OTHER_NAMES.flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), (match) => ({
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
      kind,
    })),
  );
}

/** Suffixes that do not change the meaning: SECRET_KEY_BASE, API_KEY_PROD, token2. */
const TRAILERS = new Set(
  (
    'prod production dev development staging stage test testing live sandbox local ci base base64 b64 old new value val ' +
    'default plain raw data env string str var main backup current master text'
  ).split(' '),
);
const NOT_SECRET = new Set(
  (
    'public sort cache partition foreign primary hot short idempotency translation i18n object map hash row query lookup dict ' +
    'json yaml column group range shard routing message unique index signal registry storage'
  ).split(' '),
);

/** Classes by the last words of a name, in small letters: aws secret access key. */
const BY_END: readonly (readonly [RegExp, KeyClass])[] = [
  [/(?:^|[a-z ])(?:password|passwd|passphrase|passcode|passwort|kennwort)$/, 'password'],
  [/(?:^| )pw$/, 'password'],
  [
    /(?:^| )(?:db|pg|my|sql|ssh|ftp|smtp|user|root|admin|redis|mysql|postgres)?(?:pwd|pass)$/,
    'password',
  ],
  [/(?:^| |client|app|api|consumer)secrets?$/, 'secret'],
  [/(?:^| )(?:token|jwt|pat|bearer|credentials?)$/, 'token'],
  [/(?:access|auth|refresh|api|bot|id|session|csrf|user)token$/, 'token'],
  [/(?:^| )auth$/, 'weak'],
  [
    /(?:^| )(?:api|access|secret|private|auth|encryption|signing|account|sharedaccess|subscription|master|app|license)key$/,
    'secret',
  ],
  [/(?:^| )private (?:.* )?key id$/, 'secret'],
  [/(?:^| )session id$/, 'weak'],
  [/(?:^| )mnemonic$|(?:^| )(?:seed|secret|recovery|mnemonic) phrase$| seed$/, 'mnemonic'],
  [/(?:^| )sig(?:nature)?$/, 'signature'],
  [/(?:^| )cookie$/, 'cookie'],
  [/(?:^| )(?:salt|sid|sessionid|passkey)$/, 'weak'],
];

/** Cache of checked names: a log repeats few of them. Emptied when full. */
const judged = new Map<string, KeyClass | null>();
const JUDGED = 5_000;

/** Class of an identifier; null if it does not mark a secret. */
export function classOfKey(name: string): KeyClass | null {
  const known = judged.get(name);
  if (known !== undefined) return known;
  if (judged.size >= JUDGED) judged.clear();
  const found = classOfName(name);
  // A copy: a substring would keep the whole text in memory.
  judged.set(Buffer.from(name, 'utf16le').toString('utf16le'), found);
  return found;
}

function classOfName(name: string): KeyClass | null {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-zñ]{1,40}/)
    .filter((word) => word !== '');
  while (words.length > 1 && TRAILERS.has(words.at(-1)!)) words.pop();
  const before = words.at(-2) ?? '';
  if (words.at(-1) !== 'key')
    return BY_END.find(([pattern]) => pattern.test(words.join(' ')))?.[1] ?? null;
  // For `key` itself, the word before it decides.
  if (before === 'storage') return 'storage';
  if (KEY_BEFORE.has(before)) return 'secret';
  const isConstant = words.length > 1 && name === name.toUpperCase();
  return before === 'x' || (isConstant && !NOT_SECRET.has(before)) ? 'weak' : null;
}
