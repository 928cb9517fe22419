import { randomBase62 } from '../../shared/platform/ids.ts';
import type { Step } from './in-turn.ts';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Names every request; a caller's own `X-Request-Id` is kept when it is harmless. */
export const requestId: Step = (req, res) => {
  const given = req.get('X-Request-Id');
  res.locals.requestId = given && ACCEPTABLE.test(given) ? given : `req_${randomBase62(22)}`;
  res.setHeader('X-Request-Id', res.locals.requestId);
};
