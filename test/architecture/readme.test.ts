import { describe, expect, it } from '@jest/globals';
import { withReadmeFigures } from '../../measure/bench/support/readme-figures.ts';
import type { Figure } from '../../measure/support/figures.ts';
import { sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const README = readProjectFile('README.md');
const speed = sectionsOf(README).find(({ title }) => title === 'How fast')?.text ?? '';

describe('benchmark figures in README.md', () => {
  it('come from one run on one machine, which it names', () => {
    const labels = speed.match(
      /^One run on one machine: .+; \d{4}-\d\d-\d\d, \w+( with changes)?\.$/gm,
    );
    expect(labels).toHaveLength(1);
  });

  it('include every goal that docs/benchmarks.md marks as missed', () => {
    const starts = tableOf(readProjectFile('docs/benchmarks.md'))
      .filter(({ Goal = '' }) => Goal.endsWith('missed'))
      .map(({ What = '' }) => What.split(' (')[0]);
    expect(starts.length).toBeGreaterThan(0);
    const missed = tableOf(speed).filter(({ Goal = '' }) => Goal.endsWith('missed'));
    expect(missed.map(({ What }) => What)).toEqual(expect.arrayContaining(starts));
  });

  it('are rewritten only by a run that measured all of them', () => {
    const run = { machine: 'one machine', measured: 'one day' };
    const figure = (name: string): Figure => ({
      name,
      unit: 'requests/s',
      ours: [40],
      limit: [100],
      limitName: 'the limit',
      goal: { share: 0.5 },
    });
    const names = [
      'Signed GET /availability',
      'POST /orders',
      'Domain search',
      'Webhook deliveries',
      'Settlement',
      'Start of an API process',
      'Resident memory',
    ];
    const some = names.slice(1).map(figure);
    expect(withReadmeFigures(README, run, some)).toBe(README);
    const whole = withReadmeFigures(README, run, names.map(figure));
    expect(whole).toContain('One run on one machine: one machine; one day.');
    expect(whole.match(/\|0\.40\|0\.5: missed\|$/gm)).toHaveLength(names.length);
  });
});

it('README.md lists every program that its five-minute walkthrough needs', () => {
  const [walk = '', needs = ''] = ['Five minutes', 'What it needs'].map(
    (wanted) => sectionsOf(README).find(({ title }) => title === wanted)?.text,
  );
  const programs = ['python3', 'curl', 'openssl'].filter(
    (program) =>
      walk.includes(program) || readProjectFile('docs/examples/sign.sh').includes(program),
  );
  expect(programs).toEqual(['python3', 'curl', 'openssl']);
  expect(programs.filter((program) => !needs.includes(program))).toEqual([]);
});
