/** Replacements of a secret that are none: documented examples, variables, masks, types. */

const CONTAINS =
  /example|placeholder|changeme|change[_-]me|replace[_-]?(?:me|this|with)|your[_-]|[_-]your|yourpass|your(?:token|secret|key|api)|dummy|redacted|insert[_-]|\bfake|<[^>]{0,60}>|\{\{|\$\{|\$\(|\.\.\.|…|x{5,}|\*{3,}|#{4,}|•{3,}/i;
const REFERENCE =
  /^(?:[$%{<@]|process\.env|import\.meta|os\.(?:environ|getenv)|env[.([:]|secrets?\.|vault:|op:\/\/|arn:aws|ENC\[|!\w|&\w|\*\w|projects\/|[\w-]{1,40}\/[\w-]{1,40}#)/;
const WORDS =
  /^(?:(?:my|the|a|an|some|any|this|no|test|testing|mock|stub|sample|demo|fake|foo|bar|baz|new|old|current|wrong|invalid|valid|bad|good|default|user|admin|db|api|access|auth|secret|token|key|password|passwd|pass|pwd|passphrase|value|string|text|hidden|required|optional|private|public|client|app|service|session|bearer|basic|none|null|nil|undefined|true|false|yes|no|empty|unset|missing|redacted|masked|todo|tbd|na|here|id|name|str|int|number|bool|boolean|any|object|unknown|never|void|bytes|type|secretstr|postgres|root|guest|mysql|localhost|abc|123|1234|12345|123456|xxx|xxxx|xyz|hex|base64|random|generated|env|var|variable|github|gitlab|aws|gcp|azure|openai|refresh|csrf|jwt|oauth|sso|login|username|email|hash|hashed|encrypted|plain|plaintext|input|field|form|label|confirm|confirmation|reset|forgot|change|update|set|get|create|delete|validate|verify|check|error|expired|revoked|ok)[-_. /]?){1,6}$/i;

/** Whether a value is an example, variable, template, mask, or only the name of a secret. */
export function isPlaceholder(value: string): boolean {
  return (
    value === '' ||
    REFERENCE.test(value) ||
    CONTAINS.test(value.slice(0, 400)) ||
    isMonotone(value) ||
    /^\[[^\d\]]{1,60}\]$/.test(value) ||
    (value.length <= 48 && WORDS.test(value))
  );
}

function isMonotone(value: string): boolean {
  return value.length < 200 && new Set(value).size <= 2;
}

/** Shannon entropy of at most the first 256 characters, in bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  const sample = value.length > 256 ? value.slice(0, 256) : value;
  for (const char of sample) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / sample.length) * Math.log2(count / sample.length);
  return bits;
}
