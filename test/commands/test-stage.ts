/** What one test needs and leaves behind: gone when it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { setStage, type Stage, type StageOptions } from './stage.js';

/** A stage of this test alone. */
export function testStage(options: StageOptions = {}): Stage {
  const stage = setStage(options);
  onTestFinished(() => stage.remove());
  return stage;
}

/** An empty folder of this test alone. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dripstone-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
