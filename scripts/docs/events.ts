import { EVENTS } from '../../api/partner/event-catalogue.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { durationText } from './configuration.ts';
import { code, table } from './markdown.ts';

/** The tables in docs/webhooks.md. */
export const eventBlocks = {
  'event types': () =>
    table(
      ['Type', 'When'],
      EVENTS.map(({ type, when }) => [code(type), when]),
    ),
  'retry schedule': () =>
    table(
      ['Attempt', 'Wait before it'],
      [
        ['1', 'none'],
        ...VARIABLES.webhookScheduleMs.fallback.map((ms, at) => [String(at + 2), durationText(ms)]),
      ],
    ),
};
