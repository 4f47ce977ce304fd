/** Cuts a page into what it states: sentences, rows of tables, items of lists. What is generated or shown is left out. */

export interface Statement {
  /** The nearest heading above it. */
  section: string;
  text: string;
}

/** A full stop inside code or of an abbreviation ends nothing. */
function sentencesOf(paragraph: string): string[] {
  const held: string[] = [];
  const bare = paragraph
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/`[^`]*`|\]\([^)]*\)|\d\.\d|\bv\d+\.\S+/g, (part) => `\u0000${held.push(part) - 1}\u0000`);
  return bare
    .split(/(?<=[.!?]|\.\)|\.\*\*)\s+(?=[\p{Lu}[\u0000"(*])/u)
    .map((part) => part.replace(/\u0000(\d+)\u0000/g, (_, at: string) => held[Number(at)]!).trim())
    .filter((part) => /\p{L}{2}/u.test(part));
}

/** @param isGenerated whether a line is written by a program */
export function statementsIn(page: string, isGenerated: (line: string) => boolean = () => false): Statement[] {
  const found: Statement[] = [];
  let section = '';
  let paragraph: string[] = [];
  const end = (): void => {
    for (const text of sentencesOf(paragraph.join(' '))) found.push({ section, text });
    paragraph = [];
  };
  let isCode = false;
  for (const line of page.split('\n')) {
    if (line.startsWith('```')) {
      end();
      isCode = !isCode;
    } else if (isCode || isGenerated(line)) end();
    else if (/^#+ /.test(line)) {
      end();
      section = line.replace(/^#+ /, '');
    } else if (/^\|(?: ---|.*\| ---)/.test(line)) found.pop();
    else if (line.trim() === '') end();
    else if (line.startsWith('|')) {
      end();
      found.push({ section, text: line.replace(/^\| | \|$/g, '') });
    } else if (/^ {4}\S/.test(line)) {
      end();
      found.push({ section, text: line.trim() });
    } else {
      if (/^- /.test(line)) end();
      paragraph.push(line.replace(/^- /, ''));
    }
  }
  end();
  return found;
}
