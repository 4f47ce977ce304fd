import { isProgram, splitShell } from '../shell/index.js';

/** Command text as it is compared: one blank between words, quotes and shell prompts gone. */
function plainCommand(text: string): string {
  return text
    .trim()
    .replace(/^[$>%#]\s+/, '')
    .replace(/\s+/g, ' ');
}

/** Tokens of one shell text: the text itself and each of its commands. */
function shellTokens(command: string): string[] {
  const text = plainCommand(command);
  const tokens = new Set<string>(text.length > 0 && text.length <= 160 ? [text] : []);
  for (const step of splitShell(command)) {
    const words = step.words.join(' ').replace(/\s+/g, ' ');
    if (step.words.length > 1 && words.length <= 160) tokens.add(words);
  }
  return [...tokens];
}

/** Words that begin lines of code, not commands. */
const CODE =
  /^(?:const|let|var|import|export|return|if|for|while|func|def|class|type|public|private|static|new|async|await|function|package|from|select|insert|delete|fn|mut|struct|enum|interface|else|case|switch|throw|print|the|a|an|this|that|it|is|are|in|on|to|not|no|and|or|with) /i;

/** Whether a text reads like a command with at least one argument, or a program by its path. */
function isCommandLine(text: string): boolean {
  return (
    /^(?:[A-Z_]+=\S+ )*(?:\.\/\S+$|(?:\.\/|[a-z][\w.+-]*\/)*[a-z][\w.+-]* [^\s=(].*)/.test(text) &&
    !CODE.test(text)
  );
}

/** A script with arguments, however it is called: in a code span it is no prose. */
const SCRIPT_SPAN = /^(?:[A-Z_]+=\S+ )*(?:\.{1,2}\/|scripts?\/|bin\/)[\w./-]+ \S/;

const BEFORE = /^(?:run|execute|use|type|call|do|with|via|try|invoke|using|running|by)$/i;
/**
 * Longest command that is looked for in prose. Nothing marks its end, so every beginning of it
 * counts.
 */
const MOST_WORDS = 6;

/**
 * Where a command may begin or end without a blank: at commas and quotes of other scripts, behind
 * letters of some.
 */
const UNSPACED =
  /(?![\x00-\x7f])\p{P}|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])(?=[a-z./])/gu;

/** Commands that may stand in a sentence: after a verb of running, or at a known program. */
function commandsInProse(line: string): string[] {
  const words = line.replace(UNSPACED, ', ').split(/\s+/);
  const found: string[] = [];
  words.forEach((raw, i) => {
    const word = raw.replace(/^["'“(]+/, '');
    if (
      !/^(?:\.\/)?[a-z][\w.+/-]*$/.test(word) ||
      !(isProgram(word) || BEFORE.test(words[i - 1] ?? ''))
    )
      return;
    const taken = [word];
    for (const next of words.slice(i + 1, i + MOST_WORDS)) {
      const bare = next.replace(/["'”).,;:!?]+$/, '');
      taken.push(bare);
      found.push(taken.join(' '));
      if (bare !== next) break;
    }
  });
  return found;
}

/**
 * Commands that stand in prose: code spans, fenced and prompted lines.
 * @param loose also lines and parts of sentences without any mark, as people type them
 */
export function textTokens(text: string, loose: boolean): string[] {
  const tokens = new Set<string>();
  const add = (command: string): void => {
    for (const token of shellTokens(command)) tokens.add(token);
  };
  for (const [, span = ''] of text.matchAll(/`([^`\n]{2,200})`/g)) {
    const plain = plainCommand(span);
    if (isCommandLine(plain) || SCRIPT_SPAN.test(plain)) add(span);
  }
  let fenced = false;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (line.length > 1) {
      const prompted = /^[$%] \S/.test(line);
      if (
        line.length <= 300 &&
        (prompted ||
          (fenced && isCommandLine(line)) ||
          (loose && isCommandLine(line) && line.split(/\s+/).length <= 12))
      )
        add(line);
      if (loose) for (const part of commandsInProse(line)) add(part);
    }
  }
  return [...tokens];
}

/**
 * What a lesson would make an agent use: its code spans as commands, and the commands given.
 */
export function mentionsOf(text: string, commands: string[] = []): string[] {
  const tokens = new Set(textTokens(text, false));
  for (const command of commands) for (const token of shellTokens(command)) tokens.add(token);
  return [...tokens].sort();
}
