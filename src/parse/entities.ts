/** Names in a sentence: code, paths, options, errors, identifiers. Pure. */

/** Names in a sentence, without backticks. */
interface Entities extends Record<string, string[]> {
  /** Code spans. */
  code: string[];
  paths: string[];
  flags: string[];
  /** E1234, TS2352, SA5011, HTTP 429, exit code 127, FooError. */
  errors: string[];
  /** camelCase, PascalCase, snake_case, UPPER_SNAKE and dotted names outside backticks. */
  names: string[];
}

const CODE = /`([^`\n]{1,160})`/g;
const PATH =
  /(?<![\w/@.-])(?:~?\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.*-]+\/?|(?<![\w/@-])\.?[\w-]+\.(?:[cm]?[jt]sx?|json[c5l]?|ya?ml|toml|md|mdx|py|pyi|go|rs|rb|java|kts?|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|fish|sql|css|scss|html?|vue|svelte|lock|cfg|ini|conf|env|gradle|tf|nix|lua|ex|exs|erl|zig|dart|proto|graphql|xml|csv|cue|mod|sum|txt|service|plist|Dockerfile)(?![\w-])|(?<!\w)(?:Dockerfile|Makefile|Justfile|justfile|Brewfile|Gemfile|Procfile|Rakefile|Jenkinsfile|Vagrantfile|CMakeLists\.txt)(?!\w)|(?<![\w/.@)\]-])\.(?:[a-z]+rc|[a-z]*(?:profile|ignore|config|attributes|editorconfig)|env|zshenv|tool-versions|nvmrc)(?:[._-][a-z]+)*(?![\w-])/g;
const FLAG = /(?<![\w-])--?[a-zA-Z][\w-]*(?:=\S+)?/g;
const ERROR =
  /(?<![\w-])(?:[A-Z]{1,6}-?\d{3,5}|E[A-Z]{4,}|(?:HTTP |status |exit (?:code |status )?)\d{1,3}|[A-Z]\w+(?:Error|Exception|Warning)|SIG[A-Z]{3,5}|errno \d+)(?![\w-])/g;
const NAME =
  /(?<![\w./-])(?:[a-z][a-z0-9]*[A-Z]\w*(?:\(\))?|[A-Z][a-z0-9]+[A-Z]\w*(?:\(\))?|[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\(\))?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-zA-Z]\w*(?:\.[a-zA-Z]\w*)+(?:\(\))?|\w+\(\)|@[\w-]+\/[\w.-]+)(?![\w/-])/g;

/** Abbreviations with a full stop, and products. */
const NO_NAME =
  /^(?:e\.g|i\.e|a\.m|p\.m|\w{1,2}\.\w{1,2}|GitHub|GitLab|JavaScript|TypeScript|README|iOS|macOS|OpenAI|LaTeX|YouTube|LinkedIn)$/;

function all(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((hit) => hit[1] ?? hit[0]);
}

/** Finds the names in a sentence. */
export function findEntities(text: string): Entities {
  const code = all(CODE, text);
  const bare = text.replace(CODE, ' ').replace(/https?:\/\/\S+/g, ' ');
  const inCode = code.join(' \n ');
  const both = (pattern: RegExp): string[] => [
    ...new Set([...all(pattern, bare), ...all(pattern, inCode)]),
  ];
  const isPair = /^\d+(?:\/\d+)+$|^(?:and|or|he|she|yes|no|n|e|i)\/\w+$|^\w{1,12}\/\w{1,12}$/i;
  return {
    code,
    paths: both(PATH).filter((path) => !isPair.test(path) || code.includes(path)),
    flags: both(FLAG).filter((flag) => flag.length > 2 || inCode.includes(flag)),
    errors: both(ERROR),
    names: all(NAME, bare).filter((name) => !NO_NAME.test(name)),
  };
}

/**
 * Names that show whether two sentences have the same topic: lower-cased, without call marks and
 * leading dots.
 */
export function entityKeys(text: string): Set<string> {
  const keys = new Set<string>();
  for (const raw of Object.values(findEntities(text)).flat()) {
    const key = raw
      .toLowerCase()
      .replace(/\(.*\)$/, '')
      .replace(/^[./~]+|[.,:;]+$/g, '');
    if (key.length >= 3) keys.add(key);
    const base = key.split('/').at(-1)!;
    if (base.length >= 4 && base !== key && /[.\w-]/.test(base) && !/\s/.test(key)) keys.add(base);
  }
  return keys;
}
