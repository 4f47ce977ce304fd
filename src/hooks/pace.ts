/** Whether it pays to look for what was said: where that takes longer than a hook waits, nobody hears it. */
import type { Clock } from '../types.js';
import { PATIENCE_MS } from './asked.js';

/** How long nothing is looked for after it took too long. */
const REST_MS = 600_000;

export class Pace {
  private restUntil = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'mono'>) {}

  /** @returns when it began, in milliseconds of the clock; null: not now */
  begin(): number | null {
    const now = this.clock.mono();
    return now < this.restUntil ? null : now;
  }

  end(begun: number): void {
    const now = this.clock.mono();
    if (now - begun > PATIENCE_MS) this.restUntil = now + REST_MS;
  }
}
