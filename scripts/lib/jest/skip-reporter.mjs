import path from 'node:path';
import { packagesOf } from '../test-tools.mjs';

/** What `test/support/machine-tools.ts` puts behind the name of a test that this machine cannot run. */
const NEEDS = /\[needs ([^\]]+)\]/;

/** Says last which tests were skipped. A run of some names skips the others by intent. */
export default class SkipReporter {
  constructor({ testNamePattern }) {
    this.isFiltered = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, { testResults }) {
    const text = this.isFiltered ? '' : skippedTests(testResults);
    if (text) process.stderr.write(`\n${text}\n`);
  }
}

/** Which tests were skipped, why, and how to have them, in words; empty when none was. */
export function skippedTests(testResults) {
  const files = testResults
    .map(({ testFilePath, testResults: tests }) => ({
      testFilePath,
      tests: tests.filter(isSkipped),
    }))
    .filter(({ tests }) => tests.length > 0);
  if (files.length === 0) return '';
  const all = files.flatMap(({ tests }) => tests);
  const tools = toolsOf(all);
  const lines = [
    `Skipped: ${all.length} tests in ${files.length} files.`,
    ...files.map(describeFile),
  ];
  if (tools.length > 0) {
    lines.push(
      `This machine lacks ${tools.join(', ')}. To have these tests, run \`node scripts/sample-tools.mjs\` as root, or`,
      `install ${packagesOf(tools).join(' ')} (names of Debian).`,
    );
  }
  return lines.join('\n');
}

const isSkipped = ({ status }) => status === 'pending' || status === 'todo';

const toolsOf = (tests) => [
  ...new Set(tests.flatMap(({ fullName }) => NEEDS.exec(fullName)?.[1].split(', ') ?? [])),
];

function describeFile({ testFilePath, tests }) {
  const tools = toolsOf(tests);
  const why = tools.length > 0 ? `needs ${tools.join(', ')}` : 'skipped in its text';
  return `  ${path.relative(process.cwd(), testFilePath)}: ${tests.length}, ${why}`;
}
