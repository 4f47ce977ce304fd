/** Programs that print text from outside this machine. */
const START = String.raw`(?:^|[;&|(\`\n]|\b(?:sudo|time|xargs|then|do|else|exec|env|nohup|timeout\s+\S+)\s|\s-c\s*["'])\s*(?:\w+=\S*\s+)*(?:[\w./~-]*\/)?`;
const FETCH = new RegExp(
  String.raw`${START}(?:curl|wget|aria2c|lynx|w3m|links|elinks|xh|http|https|defuddle|trafilatura)(?:\.exe)?\s+[^\s|;&]`,
);
const GITHUB = new RegExp(
  String.raw`${START}(?:gh\s+(?:api|issue|search|gist|discussion|release\s+(?:view|list)|pr\s+(?:view|diff|list|review))|glab\s+(?:api|issue|mr\s+(?:view|diff|list|note)))\b`,
);
const POWERSHELL = /\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b/i;
const SCRIPTED = /\b(?:urlopen|requests\.(?:get|post)|httpx\.|fetch\(|axios[.(]|Net::HTTP|LWP::)/;
/** A fast first test that few commands match, since the exact patterns are slow. */
const HINT =
  /https?|ftp:|curl|wget|aria2c|lynx|w3m|e?links|xh\b|defuddle|trafilatura|\bgh\b|glab|Invoke-|\bi[wr]/i;
const ADDRESS = /\b(?:https?|ftp):\/\/([^\s/'"`:)]+)/g;
const LOCAL =
  /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.(?:local|localhost|test))$/i;

/**
 * Whether a shell command prints text from outside this machine. Yes if in doubt, so that nothing
 * is learnt from such text.
 */
export function isWebCommand(command: string): boolean {
  if (!HINT.test(command)) return false;
  if (GITHUB.test(command)) return true;
  const hosts = [...command.matchAll(ADDRESS)].map((found) => found[1]!);
  const remote = hosts.some((host) => !LOCAL.test(host));
  if (SCRIPTED.test(command)) return remote;
  if (!FETCH.test(command) && !POWERSHELL.test(command)) return false;
  return (
    remote || (hosts.length === 0 && !/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])/.test(command))
  );
}
