/** Set by `npm run test:browser`, which brings a browser; every other run leaves those tests out. */
const browser = process.env.TEST_BROWSER !== undefined;

export default {
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${browser ? 'browser/' : ''}**/*.test.ts`],
  testPathIgnorePatterns: browser ? [] : ['<rootDir>/test/browser/'],
  // Ends what hangs. How long a test takes depends on what else the machine does, so it is no measure of the product.
  testTimeout: 180_000,
  maxWorkers: 2,
  // What modules leave behind in a process adds up to gigabytes over all tests.
  workerIdleMemoryLimit: '1GB',
  watchman: false,
  reporters: ['default', '<rootDir>/scripts/lib/jest-exit-reporter.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  testSequencer: '<rootDir>/scripts/lib/jest-longest-first.mjs',
  moduleNameMapper: {
    // The sample shop names the SDK as partners do.
    '^@domain-marketplace/sdk$': '<rootDir>/sdk/src/index.ts',
    // Set by scripts/lib/run-jest.mjs.
    ...JSON.parse(process.env.TEST_BUNDLED_PACKAGES ?? '{}'),
  },
  modulePathIgnorePatterns: ['<rootDir>/.data', '<rootDir>/dist'],
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          transform: { verbatimModuleSyntax: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'nodenext' },
        sourceMaps: 'inline',
      },
    ],
  },
};
