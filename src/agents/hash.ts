/** 64 bits of FNV-1a over UTF-16 units as 16 hex characters: enough to recognise a text again, no use against an adversary. */
export function textHash(value: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ ((unit << 7) | (unit >> 3)), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, '0') + (high >>> 0).toString(16).padStart(8, '0');
}
