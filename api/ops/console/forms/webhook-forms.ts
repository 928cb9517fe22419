import type { ReplayState } from '../../../../shared/messaging/webhooks/replay.ts';
import {
  webhookCancelReplay,
  webhookReplay,
  webhookResend,
  webhookTest,
} from '../../actions/webhook-actions.ts';
import * as subjects from '../action-subjects.ts';
import { replaysPath } from '../console-paths.ts';
import { always, form } from './action-form.ts';

export const WEBHOOK_FORMS = {
  'webhook-resend': form({
    action: webhookResend,
    section: 'webhooks',
    given: ['delivery'],
    without: ['event'],
    subject: subjects.delivery,
    link: 'Resend',
    offered: always,
    title: (name) => `Resend ${name}?`,
    effect: 'The event is sent to its endpoint as a new delivery, with its own retries.',
    button: 'Resend',
    done: (name) => `${name} was sent again.`,
  }),
};

/** The state that decides what can be sent to an endpoint. */
interface EndpointState {
  active: boolean;
}

const endpoint = {
  section: 'webhooks',
  given: ['endpoint'],
  subject: subjects.endpoint,
  offered: ({ active }: EndpointState) => active,
} as const;

/** Actions that send something to an endpoint. */
export const ENDPOINT_FORMS = {
  'webhook-test': form({
    ...endpoint,
    action: webhookTest,
    link: 'Send test event',
    title: (name) => `Send a test event to ${name}?`,
    effect: 'A signed webhook.ping is sent. It is not in the partner’s history.',
    button: 'Send test event',
    done: () => 'The test event is on its way.',
  }),
  'webhook-replay': form({
    ...endpoint,
    action: webhookReplay,
    link: 'Replay events',
    hints: {
      from: 'A day or a time in UTC, such as 2026-11-20 or 2026-11-20T09:30:00Z.',
      to: 'The first day or time that is not included.',
      event_types:
        'Types and patterns, such as order.*, transfer.completed. Defaults to all that the endpoint receives.',
    },
    title: (name) => `Replay events to ${name}`,
    effect: 'The events of the period are sent again, oldest first. You can stop it at any time.',
    button: 'Replay events',
    done: () => 'The replay has started.',
    next: ({ endpoint_id }) => replaysPath(String(endpoint_id)),
  }),
};

/** Actions on a replay, by its state. */
export const REPLAY_FORMS = {
  'webhook-cancel-replay': form({
    action: webhookCancelReplay,
    section: 'webhooks',
    given: ['replay'],
    subject: subjects.replay,
    link: 'Stop',
    tone: 'danger',
    offered: (state: ReplayState) => state === 'queued' || state === 'running',
    title: (name) => `Stop ${name}?`,
    effect: 'Its pending deliveries are canceled.',
    button: 'Stop replay',
    done: () => 'The replay is stopped.',
  }),
};
