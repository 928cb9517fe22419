import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../shared/events/event.ts';
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
});
