/** Set by `npm run test:browser`, which brings a browser; every other run leaves those tests out. */
const browser = process.env.TEST_BROWSER !== undefined;

export default {
  testEnvironment: '<rootDir>/scripts/lib/jest/environment.mjs',
  runtime: '<rootDir>/scripts/lib/jest/runtime.cjs',
  transform: {},
  testMatch: [`<rootDir>/test/${browser ? 'browser/' : ''}**/*.test.ts`],
  testPathIgnorePatterns: browser ? [] : ['<rootDir>/test/browser/'],
  // Ends what hangs. How long a test takes depends on what else the machine does, so it is no measure of the product.
  testTimeout: 180_000,
  // One more than two cores: while a test waits, another works.
  maxWorkers: 3,
  // What modules leave behind in a process adds up to gigabytes over all tests.
  workerIdleMemoryLimit: '2GB',
  // A worker that has not ended by then holds something open; half a second, as by default, says the machine is busy.
  workerGracefulExitTimeout: 20_000,
  watchman: false,
  reporters: [
    'default',
    '<rootDir>/scripts/lib/jest/skip-reporter.mjs',
    '<rootDir>/scripts/lib/jest/exit-reporter.mjs',
  ],
  testSequencer: '<rootDir>/scripts/lib/jest/longest-first.mjs',
  modulePathIgnorePatterns: ['<rootDir>/.data', '<rootDir>/dist'],
};
