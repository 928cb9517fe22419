import { expect, it } from '@jest/globals';

const { skippedTests } = await import(String('../../../scripts/lib/jest/skip-reporter.mjs'));

const file = (name: string, ...tests: [status: string, fullName: string][]) => ({
  testFilePath: `${process.cwd()}/test/${name}.test.ts`,
  testResults: tests.map(([status, fullName]) => ({ status, fullName })),
});

it('lists skipped tests with the reason and how to run them', () => {
  const text = skippedTests([
    file('all', ['passed', 'works']),
    file('paper', ['passed', 'a'], ['pending', 'the PDF says all [needs qpdf, pdftotext]']),
    file('dkim', ['pending', 'the signature [needs dkimverify] holds'], ['pending', 'a plan']),
  ]);
  expect(text.split('\n')).toEqual([
    'Skipped: 3 tests in 2 files.',
    '  test/paper.test.ts: 1, needs qpdf, pdftotext',
    '  test/dkim.test.ts: 2, needs dkimverify',
    'This machine lacks qpdf, pdftotext, dkimverify. To have these tests, run `node scripts/sample-tools.mjs` as root, or',
    'install qpdf poppler-utils python3-dkim (names of Debian).',
  ]);
  expect(skippedTests([file('all', ['passed', 'works'])])).toBe('');
});
