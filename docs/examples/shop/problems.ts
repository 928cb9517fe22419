import {
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ServiceError,
} from '@domain-marketplace/sdk';

/** An error as a visitor sees it. */
export interface Problem {
  status: number;
  title: string;
  text: string;
  /** Whether trying again may help. */
  passing: boolean;
}

/** Returns what a visitor sees of an error. `name` is the domain that it is about. */
export function problemOf(error: unknown, name = 'This name'): Problem {
  if (error instanceof ConflictError && error.reason === 'domain_sold') return soldMeanwhile(name);
  if (error instanceof ConflictError && error.reason === 'domain_reserved') {
    return {
      status: 409,
      title: `Someone else is buying ${name}`,
      text: 'It is held for a few minutes. If they don’t buy it, you can.',
      passing: true,
    };
  }
  if (error instanceof NotFoundError) {
    return {
      status: 404,
      title: `${name} is not for sale any more`,
      text: 'Its owner took it off the market. See other names instead.',
      passing: false,
    };
  }
  if (error instanceof RateLimitError || error instanceof ConflictError) {
    return {
      status: 503,
      title: 'The shop is busy',
      text: 'Many people are searching right now. Try again in a minute.',
      passing: true,
    };
  }
  if (error instanceof ConnectionError || error instanceof ServerError) {
    return {
      status: 503,
      title: 'We cannot reach the marketplace',
      text: 'Nothing is lost, and nothing was charged. Try again in a moment.',
      passing: true,
    };
  }
  if (error instanceof InvalidRequestError) {
    return {
      status: 400,
      title: 'That does not look like a name',
      text: 'Go back and try another word.',
      passing: false,
    };
  }
  if (isUnreadable(error)) {
    return {
      status: 400,
      title: 'We could not read that',
      text: 'The URL or the form is invalid. Go back and try again.',
      passing: false,
    };
  }
  return {
    status: 500,
    title: 'Something went wrong',
    text: 'This is our fault, and nothing was charged. We logged the error.',
    passing: true,
  };
}

/** Returns whether Express rejected the request: a malformed URL, or a form that is too large. */
function isUnreadable(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return !(error instanceof ServiceError) && typeof status === 'number' && status < 500;
}

export function soldMeanwhile(name: string): Problem {
  return {
    status: 409,
    title: `${name} has just been sold`,
    text: 'Someone else was faster. Nothing was charged. See other names instead.',
    passing: false,
  };
}
