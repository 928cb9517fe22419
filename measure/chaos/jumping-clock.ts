import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestSettings } from '../../test/support/settings.ts';

/** A clock for processes started with its `env`. */
export interface JumpingClock {
  env: TestSettings;
  /** Sets the clock ahead of the machine's by this many milliseconds; negative is behind. */
  set(aheadMs: number): void;
  remove(): void;
}

/** Creates a clock that is right until it is set. */
export function createJumpingClock(): JumpingClock {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  const file = join(folder, 'ahead');
  writeFileSync(file, '0');
  const preload = new URL('./jumping-clock.mjs', import.meta.url).href;
  return {
    env: { CLOCK_FILE: file, NODE_OPTIONS: `--import=${preload}` },
    set: (aheadMs) => writeFileSync(file, String(aheadMs)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
