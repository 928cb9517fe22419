import { Type } from 'typebox';
import { button, facts, note, paragraph } from '../mail/letter.ts';
import { INSTANT_DATA } from '../mail/letter-data.ts';
import { defineMail } from '../mail/mail.ts';

const ENDPOINT_DATA = Type.Object({
  endpointId: Type.String(),
  /** Without the path, which may contain a token. */
  host: Type.String(),
  environment: Type.String(),
  failingSince: INSTANT_DATA,
});
const EXAMPLE = {
  endpointId: 'whe_01m7yg4ev0e89rzq0ngjrt467r',
  host: 'hooks.partner.example',
  environment: 'LIVE',
  failingSince: '2026-11-22T08:30:00.000Z',
};

/** The mail that tells a partner that every delivery to its endpoint has failed for an hour. */
export const endpointFailingMail = defineMail({
  kind: 'endpoint-failing',
  audience: 'partner',
  topic: 'webhooks',
  data: ENDPOINT_DATA,
  cause: ({ endpointId, failingSince }) => `endpoint-failing:${endpointId}:${failingSince}`,
  example: EXAMPLE,
  write: ({ endpointId, host, environment, failingSince }, { format, config }) => ({
    subject: `Your webhook endpoint at ${host} is failing`,
    preview: 'Every delivery of the last hour failed. We keep trying.',
    title: 'A webhook endpoint is failing',
    blocks: [
      paragraph('Every delivery of the last hour failed. We keep trying, and no event is lost.'),
      facts(
        ['Endpoint', host],
        ['Environment', environment],
        ['Failing since', format.instant(failingSince)],
        ['Id', endpointId],
      ),
      paragraph('Make sure that it responds with a 2xx status within 5 seconds.'),
      button('Troubleshoot webhooks', `${config.baseUrl}/docs/webhooks`),
      note('An endpoint that fails for 5 days is disabled.'),
    ],
  }),
});

/** The mail that tells a partner that its endpoint was disabled. */
export const endpointDisabledMail = defineMail({
  kind: 'endpoint-disabled',
  audience: 'partner',
  topic: 'webhooks',
  data: Type.Object({
    ...ENDPOINT_DATA.properties,
    reason: Type.Union([Type.Literal('gone'), Type.Literal('failing')]),
  }),
  cause: ({ endpointId, failingSince }) => `endpoint-disabled:${endpointId}:${failingSince}`,
  example: { ...EXAMPLE, failingSince: '2026-11-17T08:30:00.000Z', reason: 'failing' as const },
  write: ({ endpointId, host, environment, failingSince, reason }, { format, config }) => ({
    subject: `Your webhook endpoint at ${host} was disabled`,
    preview: 'It gets no events until you register it again.',
    title: 'A webhook endpoint was disabled',
    blocks: [
      paragraph(
        reason === 'gone'
          ? 'It returned 410 Gone, so we disabled it. It gets no events until you register it again.'
          : 'It failed for 5 days, so we disabled it. It gets no events until you register it again.',
      ),
      facts(
        ['Endpoint', host],
        ['Environment', environment],
        ['Failing since', format.instant(failingSince)],
        ['Id', endpointId],
      ),
      paragraph('Events stay in your history. Read what you missed from GET /v1/events.'),
      button('Register it again', `${config.baseUrl}/docs/webhooks`),
    ],
  }),
});
