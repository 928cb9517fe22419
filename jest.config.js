export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testTimeout: 30_000,
  maxWorkers: 2,
  watchman: false,
  reporters: ['default', '<rootDir>/scripts/lib/jest-exit-reporter.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
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
