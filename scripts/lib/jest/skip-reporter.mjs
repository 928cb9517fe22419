import path from 'node:path';
import { packagesOf } from '../test-tools.mjs';

/** What `test/support/machine-tools.ts` appends to the name of a test that this machine cannot run. */
const NEEDS = /\[needs ([^\]]+)\]/;

/** Lists skipped tests at the end, unless the run is filtered by name and skips tests on purpose. */
export default class SkipReporter {
  constructor({ testNamePattern }) {
    this.isFiltered = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, { testResults }) {
    const text = this.isFiltered ? '' : skippedTests(testResults);
    if (text) process.stderr.write(`\n${text}\n`);
  }
}

/** Returns a text that says which tests were skipped, why, and how to enable them; empty if there are none. */
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
