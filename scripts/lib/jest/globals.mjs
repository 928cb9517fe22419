/** What tests import as `@jest/globals`: that of the test file which runs now. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function useGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
