import type { Request, RequestHandler, Response } from 'express';

/** A synchronous step of request handling. Throws to refuse the request. */
export type Step = (req: Request, res: Response) => void;

/** Combines steps into one handler: every Express layer costs a request time and memory. */
export function composeSteps(...steps: readonly Step[]): RequestHandler {
  return (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };
}

/**
 * Loads a value at its first use, so that startup does not wait for libraries that few requests need. A failed load is
 * retried at the next use.
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** Returns a handler that is loaded at its first request. */
export function lazyHandler(load: () => Promise<RequestHandler>): RequestHandler {
  const handler = lazy(load);
  return async (req, res, next) => (await handler())(req, res, next);
}
