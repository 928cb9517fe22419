import { EVENT_SUMMARIES } from '../../api/openapi/partner-document.ts';
import { EVENT_TYPES } from '../../shared/delivery/events/event.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { durationText } from './configuration.ts';
import { code, table } from './markdown.ts';

/** The tables of docs/webhooks.md. */
export const eventBlocks = {
  'event types': () =>
    table(
      ['Type', 'When'],
      EVENT_TYPES.map((type) => [code(type), `${EVENT_SUMMARIES[type]}.`]),
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
