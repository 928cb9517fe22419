import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../shared/delivery/events/event.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

describe('docs/webhooks.md', () => {
  it('lists every type of event, and no other', () => {
    const section = sectionsOf(readProjectFile('docs/webhooks.md')).find(
      ({ title }) => title === 'Types',
    );
    const listed = tableOf(section?.text ?? '').map((row) => row.Type);
    expect(listed.sort()).toEqual(EVENT_TYPES.map((type) => `\`${type}\``).sort());
  });

  it('has the waits between attempts in its table', () => {
    const section = sectionsOf(readProjectFile('docs/webhooks.md')).find(
      ({ title }) => title === 'When it fails',
    );
    const [first, ...waits] = tableOf(section?.text ?? '').map((row) => row['Comes after'] ?? '');
    expect(first).toBe('at once');
    expect(waits.map(milliseconds)).toEqual(VARIABLES.webhookScheduleMs.fallback);
  });
});

const UNITS: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 };

function milliseconds(wait: string): number {
  const [amount = '', unit = ''] = wait.split(' ');
  return Number(amount) * (UNITS[unit] ?? Number.NaN);
}
