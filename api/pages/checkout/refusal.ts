import type { ErrorRequestHandler, Request, Response } from 'express';
import type { ServiceError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { prepareErrorResponse } from '../../http/error-response.ts';
import { checkoutLayout } from './layout.ts';
import { errorView } from './state.view.ts';

/** A link that opens nothing: past its time, or not signed by us for this session; or a form that isn't ours. */
export class CheckoutLinkError extends Error {
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
export function checkoutErrorPage(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const words =
      thrown instanceof CheckoutLinkError ? REFUSALS[thrown.why] : faultOf(thrown, req, res);
    if (!words) return;
    const page = checkoutLayout(errorView(words.title, words.text));
    res.status(words.status).type('html').send(page);
  };

  function faultOf(thrown: unknown, req: Request, res: Response) {
    const error = prepareErrorResponse(log, thrown, req, res);
    return error && errorText(error);
  }
}

const TOO_MANY_HOLDS = 'too_many_holds';

function errorText({ status, details }: ServiceError): {
  status: number;
  title: string;
  text: string;
} {
  if ((details as { reason?: string } | undefined)?.reason === TOO_MANY_HOLDS) {
    return {
      status,
      title: 'Many people are paying right now',
      text: 'Nothing was charged. Please wait a few minutes, then go back and try again.',
    };
  }
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
