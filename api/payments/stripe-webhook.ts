import { Router } from 'express';
import {
  type ApplyNotification,
  receiveStripeNotification,
} from '../../shared/money/payments/payment-updates.ts';
import type { ApiServices } from '../compose-api.ts';
import { onlyMethods } from '../http/error-response.ts';
import { rawBodyOf, rawBodyUpTo } from '../http/json-body.ts';

const STRIPE_WEBHOOK_PATH = '/payments/stripe/webhook';

/** The maximum body size; Stripe's events are far smaller. */
const MAX_BODY_BYTES = 500_000;

/** Receives Stripe's notifications: without a partner signature, but with Stripe's own over the raw body. */
export function stripeWebhook(runtime: ApiServices, apply: ApplyNotification): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.post(STRIPE_WEBHOOK_PATH, rawBodyUpTo(MAX_BODY_BYTES), async (req, res) => {
    res.locals.route = STRIPE_WEBHOOK_PATH;
    await receiveStripeNotification(
      runtime,
      {
        rawBody: rawBodyOf(req),
        headers: { 'stripe-signature': req.get('Stripe-Signature') },
      },
      apply,
    );
    res.json({ received: true });
  });
  router.all(STRIPE_WEBHOOK_PATH, onlyMethods(['POST']));
  return router;
}
