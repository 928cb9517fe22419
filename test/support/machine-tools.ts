import { describe, it } from '@jest/globals';

const { missingTools } = await import(String('../../scripts/lib/test-tools.mjs'));

type Suite = (name: string, body: () => void) => void;
type Test = (name: string, body: () => Promise<void> | void, timeoutMs?: number) => void;

/** Returns whether this machine has these tools; required in CI. */
export const hasTools = (...tools: string[]): boolean => missing(tools).length === 0;

/**
 * Returns the `describe` and `it` for tests that use these tools (`scripts/lib/test-tools.mjs`). On a machine without
 * them the tests are skipped, and their names say what is missing; in CI they run and fail.
 */
export function using(...tools: string[]): { describe: Suite; it: Test } {
  if (hasTools(...tools)) return { describe, it };
  const saying = (name: string) => `${name} [needs ${missing(tools).join(', ')}]`;
  return {
    describe: (name, body) => describe.skip(saying(name), body),
    it: (name, body) => it.skip(saying(name), body),
  };
}

function missing(tools: readonly string[]): string[] {
  return process.env.CI ? [] : missingTools(tools);
}
