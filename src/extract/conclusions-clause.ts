import { CHANGED, NARROW, PAST, SPEAKS } from './conclusions-noise.js';
import { isNamed, readFrame } from './conclusions-frame.js';

/** Joints at which a sentence falls into a main clause and a remark. */
const JOINT = /(?:,\s(?=(?:so|which|this|that|these|but|and|while|although|even|as|meaning|making|confirming|causing|hence|therefore)\s)|\s[-–—]{1,2}\s|;\s)(?=[^`]*(?:`[^`]*`[^`]*)*$)/gu;

/**
 * The clause of a sentence that holds beyond the moment: remarks on this change, this test or the speaker are cut off
 * ("`x` ignores `y`, so my test is valid" keeps the first half), and a main clause about an unnamed thing gives way to
 * its "but" clause when that one names its subject.
 */
export function holdingClause(text: string): string {
  const cuts = [...text.matchAll(JOINT)].map((hit) => ({ head: text.slice(0, hit.index), tail: text.slice(hit.index + hit[0].length) }));
  for (const { head, tail } of cuts) {
    if (!isPassing(tail) || head.split(/\s+/).length < 5 || isPassing(head)) continue;
    if (readFrame(head)) return head;
  }
  for (const { head, tail } of cuts) {
    const turn = /^but\s+(?:the\s+actual\s+)?/iu.exec(tail);
    if (!turn || readFrame(head)) continue;
    const rest = tail.slice(turn[0].length);
    if (isNamed(rest.split(/\s+/).slice(0, 3).join(' ')) && readFrame(rest)) return rest;
  }
  return text;
}

/** Speaks of this moment, this code or the speaker. */
function isPassing(clause: string): boolean {
  const bare = clause.replace(/`[^`]*`/g, 'x');
  return SPEAKS.test(bare) || NARROW.test(bare) || CHANGED.test(bare) || PAST.test(bare);
}
