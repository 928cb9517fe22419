import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../../../shared/platform/logger.ts';
import { toServiceError } from '../../http/error-response.ts';
import { frame } from './layout.ts';
import { refusedView } from './state.view.ts';

/** A link that opens nothing: past its time, or not signed by us for this session; or a form that isn't ours. */
export class LinkRefused extends Error {
  readonly why: 'expired' | 'invalid' | 'form';

  constructor(why: 'expired' | 'invalid' | 'form') {
    super(`checkout link refused: ${why}`);
    this.why = why;
  }
}

const REFUSALS = {
  expired: {
    status: 410,
    title: 'This payment link has expired',
    text: 'It cannot be used to pay any more. If you paid with it, your order stands. Otherwise go back to where you found the domain and ask for a new link.',
  },
  invalid: {
    status: 403,
    title: 'This payment link does not work',
    text: 'It is incomplete or was changed on its way. Open it again exactly as you got it, or ask for a new one.',
  },
  form: {
    status: 403,
    title: 'This form cannot be sent',
    text: 'It does not belong to this page, so nothing was done with it. Open your payment link again.',
  },
} as const;

/** Tells people, in a page, what programs are told in JSON. */
export function refusalPage(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const { status, title, text } =
      thrown instanceof LinkRefused ? REFUSALS[thrown.why] : failureOf(thrown);
    if (status >= 500) {
      const at = { request_id: res.locals.requestId, method: req.method, route: res.locals.route };
      log.error({ err: thrown, ...at }, 'request failed');
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { retryAfterSeconds } = toServiceError(thrown);
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds));
    res
      .status(status)
      .type('html')
      .send(frame(refusedView(title, text)));
  };
}

function failureOf(thrown: unknown): { status: number; title: string; text: string } {
  const { status } = toServiceError(thrown);
  if (status === 404) return { ...REFUSALS.invalid, status };
  if (status === 429) {
    return {
      status,
      title: 'Too many attempts',
      text: 'Please wait a minute, then go back and try again.',
    };
  }
  if (status < 500) {
    return { status, title: 'This form cannot be read', text: 'Go back and fill it in again.' };
  }
  return {
    status: status === 503 ? 503 : 500,
    title: 'Something went wrong on our side',
    text: 'Open your payment link again to see how things stand. Whatever happened, you are never charged twice.',
  };
}
