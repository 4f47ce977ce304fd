import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/redact/index.js';
import { pem, pick, seeded } from './made-up.js';

const redactor = createRedactor({ key: 'test' });

/** What tools write before and behind the lines of a file. */
const LINED: Record<string, (line: string, i: number) => string> = {
  plain: (line) => line,
  'number and arrow': (line, i) => `${String(i + 1).padStart(6)}→${line}`,
  'number and tab': (line, i) => `${String(i + 1).padStart(6)}\t${line}`,
  'bare number and tab': (line, i) => `${i + 1}\t${line}`,
  'number and colon': (line, i) => `${i + 1}:${line}`,
  'number and dash': (line, i) => `${i + 1}-${line}`,
  'number and bar': (line, i) => `${String(i + 1).padStart(4)} | ${line}`,
  'number and frame': (line, i) => `${String(i + 1).padStart(4)} │ ${line}`,
  'number and full stop': (line, i) => `${i + 1}. ${line}`,
  'number and bracket': (line, i) => `[${i + 1}] ${line}`,
  'number and two blanks': (line, i) => `${String(i + 1).padStart(5)}  ${line}`,
  'sign and number': (line, i) => `#${i + 1} ${line}`,
  'letter and number': (line, i) => `L${i + 1}: ${line}`,
  'number of an edit': (line, i) => `${i + 1} + ${line}`,
  'number of a diff': (line, i) =>
    `${String(i + 1).padStart(4)} ${String(i + 2).padStart(4)} +${line}`,
  'file and number': (line, i) => `settings/prod.env:${i + 1}:${line}`,
  'file and number around a hit': (line, i) => `settings/prod.env-${i + 1}-${line}`,
  'file, number and column': (line, i) => `settings/prod.env:${i + 1}:1:${line}`,
  'file of Windows': (line, i) => `C:\\shop\\prod.env:${i + 1}:${line}`,
  'file without number': (line) => `settings/prod.env:${line}`,
  'file and number in brackets': (line, i) => `prod.env(${i + 1}): ${line}`,
  'hash of a line': (line, i) => `${i + 1}:${'a3f9'[i % 4]}7c|${line}`,
  'hash with a sign': (line, i) => `${i + 1}#K${'ABCD'[i % 4]}:${line}`,
  added: (line) => `+${line}`,
  'added, with a blank': (line) => `+ ${line}`,
  removed: (line) => `-${line}`,
  'added by both parents': (line) => `++${line}`,
  kept: (line) => ` ${line}`,
  quoted: (line) => `> ${line}`,
  'quoted twice': (line) => `> > ${line}`,
  'shown by diff': (line) => `< ${line}`,
  bar: (line) => `| ${line}`,
  frame: (line) => `│ ${line}${' '.repeat(6)}│`,
  indented: (line) => `      ${line}`,
  'indented by a tab': (line) => `\t${line}`,
  coloured: (line) => `\u001b[32m${line}\u001b[0m`,
  'coloured sign': (line) => `\u001b[31m-\u001b[m\u001b[31m${line}\u001b[m`,
  'coloured number': (line, i) => `\u001b[38;5;8m${i + 1}\u001b[0m:${line}`,
  'coloured file': (line, i) =>
    `\u001b[35mprod.env\u001b[m\u001b[36m:\u001b[m\u001b[32m${i + 1}\u001b[m\u001b[36m:\u001b[m${line}`,
  'sign at the end': (line) => `${line}$`,
  'number, and sign at the end': (line, i) => `${String(i + 1).padStart(6)}\t${line}$`,
  'carriage return': (line) => `${line}\r`,
  'number, carriage return': (line, i) => `${i + 1}→${line}\r`,
  'service of compose': (line) => `web-1  | ${line}`,
  'time of a log': (line) => `2026-11-02T10:15:30.123Z ${line}`,
  'pod of a cluster': (line) => `[pod/web-7f/app] ${line}`,
  blame: (line, i) => `a1b2c3d4 (Ana Lopez 2026-01-02 10:00:00 +0000 ${i + 1}) ${line}`,
  'number in a diff': (line, i) => `+${String(i + 1).padStart(6)}→${line}`,
  'number in a quote': (line, i) => `> ${i + 1}: ${line}`,
};

const LABELS =
  'RSA PRIVATE KEY,PRIVATE KEY,OPENSSH PRIVATE KEY,EC PRIVATE KEY,ENCRYPTED PRIVATE KEY,PGP PRIVATE KEY BLOCK'.split(
    ',',
  );

/** The lines as a tool prints them, plain and as text in JSON. */
function printed(lines: readonly string[], around: (line: string, i: number) => string): string[] {
  const text = ['PORT=3000', ...lines, 'DEBUG=1'].map(around).join('\n');
  return [text, JSON.stringify({ content: text })];
}

describe.each(Object.keys(LINED))('%s', (name) => {
  const around = LINED[name] as (line: string, i: number) => string;

  test.each([1, 2, 3, 8, 25])('a private key with %i lines', (lines) => {
    const random = seeded(lines * 31 + name.length);
    const key = pem(random, LABELS[lines % 6], lines).split('\n');
    key[key.length - 2] += `${pick(random, 'ABCDEFGHabcdefgh0123', 22)}==`.slice(
      0,
      lines === 1 ? 0 : 24,
    );
    for (const masked of redactor.redact(printed(key, around))) {
      expect(masked).toContain('[REDACTED:private-key:');
      for (const line of key.slice(1, -1)) expect(masked).not.toContain(line.slice(0, 24));
      expect(masked).toContain('PORT=3000');
      expect(masked).toContain('DEBUG=1');
    }
  });

  test.each([
    ['SHOP_PASSWORD=', 'slow-green-ladder'],
    ['SHOP_PASSWORD=', 'whistlingcopper'],
    ['SHOP_PASSWORD=', 'TallGreenLadder'],
    ['export SHOP_PASSWORD=', 'slow-green-ladder'],
    ['SHOP_SECRET_KEY=', 'xK93mQpd82LsWv7Rt1Yb'],
    ['password: ', 'whistlingcopper'],
    ['shop.password=', 'whistlingcopper9'],
  ])('the value of %s%s', (key, value) => {
    for (const masked of redactor.redact(printed([`${key}${value}`], around))) {
      expect(masked).not.toContain(value);
      expect(masked).toContain('PORT=3000');
    }
  });

  test.each([
    ['a block of YAML', ['  API_KEY: >-', '    xK93mQpd82LsWv7Rt1Yb', '    Zp40nRqe93MtXw8S']],
    ['a manifest', ['kind: Secret', 'data:', '  user: xK93mQpd82LsWv7Rt1Yb', '  pin: d2hpc3Rs']],
  ])('%s', (_, lines) => {
    for (const masked of redactor.redact(printed(lines, around)))
      expect(masked).not.toMatch(/xK93mQpd82|Zp40nRqe93|d2hpc3Rs/);
  });

  test('texts that code joins', () => {
    const lines = ['password: str = "xK93mQpd82LsWv7Rt1Yb" +', '  "Zp40nRqe93MtXw8S"'];
    const masked = redactor.redact(printed(lines, around).slice(0, 1))[0];
    expect(masked).not.toMatch(/xK93mQpd82|Zp40nRqe93/);
  });
});

test('a key that continues in the next text, with numbers', () => {
  const key = pem(seeded(8), 'PRIVATE KEY', 20)
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(6)}→${line}`);
  const { texts } = redactor.redactStream(
    [key.slice(0, 6).join('\n'), key.slice(6, 12).join('\n'), `${key.slice(12).join('\n')}\n`],
    0,
  );
  for (const line of key.slice(1, -1)) expect(texts.join('\n')).not.toContain(line.slice(8, 40));
});

test('wrapped base64 is one blob, with numbers too', () => {
  const random = seeded(5);
  const lines = Array.from({ length: 30 }, () =>
    pick(random, 'ABCDEFGHIJKLMabcdefghijk0123456789+/', 76),
  );
  const [masked] = redactor.redact([
    lines.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n'),
  ]);
  expect(masked).toMatch(/^ {5}1\t\[BLOB base64 2 KB sha256:[0-9a-f]{16}\]$/);
});

describe('names in other languages', () => {
  test.each([
    'contraseña: Tetera!Vapor#7',
    'contraseña: Tetera!Vapor#7'.normalize('NFD'),
    'contraseña de la base de datos: Tetera7Vapor',
    'CONTRASEÑA=Tetera7Vapor',
    'senha: Tetera7Vapor',
    'DB_SENHA=Tetera7Vapor',
    'db_senha: "Tetera7Vapor"',
    'mot de passe : Tetera7Vapor',
    'mot de passe\u00a0: Tetera7Vapor',
    'Mot de passe pour la base : Tetera7Vapor',
    'пароль: Tetera7Vapor',
    'Пароль от базы: Tetera7Vapor',
    'パスワード：Tetera7Vapor',
    'パスワード: Tetera7Vapor',
    'パスワードは Tetera7Vapor です',
    'データベースのパスワード：Tetera7Vapor。次へ',
    '密码：Tetera7Vapor',
    '密码是Tetera7Vapor',
    '密碼: Tetera7Vapor',
    '비밀번호: Tetera7Vapor',
    'hasło: Tetera7Vapor',
    'heslo: Tetera7Vapor',
    'wachtwoord: Tetera7Vapor',
    'lösenord: Tetera7Vapor',
    'parola: Tetera7Vapor',
    'şifre: Tetera7Vapor',
    'סיסמה: Tetera7Vapor',
    'كلمة المرور: Tetera7Vapor',
    'mật khẩu: Tetera7Vapor',
    'токен: x7Kd93LmQ2vB8sTetera7Vapor',
    '密钥：x7Kd93LmQ2vB8sTetera7Vapor',
    'clé secrète : x7Kd93LmQ2vB8sTetera7Vapor',
    '     3→contraseña: Tetera!Vapor#7',
    '{"contraseña":"Tetera7Vapor"}',
    '{"пароль": "Tetera7Vapor"}',
  ])('%s', (text) => {
    const [masked] = redactor.redact([text]);
    expect(masked).not.toMatch(/Tetera|Vapor/);
    expect(masked).toMatch(/\[REDACTED:(?:password|token):/);
  });

  test.each([
    'La contraseña es obligatoria y debe tener ocho letras.',
    'пароль: неверный',
    'Введите пароль: он не должен быть пустым',
    'パスワードを入力してください',
    '密码错误，请重试',
    'Le mot de passe est trop court.',
    'parola: citește fișierul',
    'senha: obrigatória',
    'label: "Contraseña"',
  ])('left alone: %s', (text) => {
    expect(redactor.redact([text])).toEqual([text]);
  });
});
