import {
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ServiceError,
} from '@domain-marketplace/sdk';

/** Something that went wrong, as a visitor is told of it. */
export interface Problem {
  status: number;
  title: string;
  text: string;
  /** Whether the same may work in a moment. */
  passing: boolean;
}

/** What a visitor is told of an error. `name` is the domain that it is about. */
export function problemOf(error: unknown, name = 'This name'): Problem {
  if (error instanceof ConflictError && error.reason === 'domain_sold') return soldMeanwhile(name);
  if (error instanceof ConflictError && error.reason === 'domain_reserved') {
    return {
      status: 409,
      title: `Somebody is at the till with ${name}`,
      text: 'It is held for a few minutes. If the sale falls through, it is yours to take.',
      passing: true,
    };
  }
  if (error instanceof NotFoundError) {
    return {
      status: 404,
      title: `${name} is not for sale any more`,
      text: 'Its owner has taken it off the market. There are others like it.',
      passing: false,
    };
  }
  if (error instanceof RateLimitError || error instanceof ConflictError) {
    return {
      status: 503,
      title: 'The shop is full',
      text: 'Many people are looking for names just now. Please try again in a minute.',
      passing: true,
    };
  }
  if (error instanceof ConnectionError || error instanceof ServerError) {
    return {
      status: 503,
      title: 'We cannot reach the marketplace',
      text: 'Nothing is lost, and nothing was charged. Please try again in a moment.',
      passing: true,
    };
  }
  if (error instanceof InvalidRequestError) {
    return {
      status: 400,
      title: 'That does not look like a name',
      text: 'Please go back and try another word.',
      passing: false,
    };
  }
  if (isUnreadable(error)) {
    return {
      status: 400,
      title: 'We could not read that',
      text: 'The address or the form is damaged. Please go back and try again.',
      passing: false,
    };
  }
  return {
    status: 500,
    title: 'Something went wrong here',
    text: 'It is our fault, and nothing was charged. We have made a note of it.',
    passing: true,
  };
}

/** Whether Express refused the request: an address that cannot be decoded, or a form that is too large. */
function isUnreadable(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return !(error instanceof ServiceError) && typeof status === 'number' && status < 500;
}

export function soldMeanwhile(name: string): Problem {
  return {
    status: 409,
    title: `${name} has just been sold`,
    text: 'Somebody was a little quicker. Nothing was charged. There are others like it.',
    passing: false,
  };
}
