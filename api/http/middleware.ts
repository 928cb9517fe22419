import type { Request, RequestHandler, Response } from 'express';

/** What is done to a request on its way, without waiting. Throws to refuse it. */
export type Step = (req: Request, res: Response) => void;

/** One handler that takes several steps: each layer that a request passes by costs it time and memory. */
export function composeSteps(...steps: readonly Step[]): RequestHandler {
  return (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };
}

/**
 * A value that is loaded when it is first asked for, so that start-up does not wait for libraries which
 * few requests need. A load that failed is tried again.
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

/** A handler that is loaded at its first request. */
export function lazyHandler(load: () => Promise<RequestHandler>): RequestHandler {
  const handler = lazy(load);
  return async (req, res, next) => (await handler())(req, res, next);
}
