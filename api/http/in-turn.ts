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
