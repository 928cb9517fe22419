import express, { Router } from 'express';
import {
  type ApplyPaymentState,
  receiveStripeNotification,
} from '../../shared/money/payments/payment-updates.ts';
import type { ApiServices } from '../compose-api.ts';
import { onlyMethods } from '../http/error-response.ts';

const STRIPE_WEBHOOK_PATH = '/payments/stripe/webhook';

/** Stripe's events are far smaller. */
const MAX_BODY_BYTES = 500_000;

/** Stripe's notifications: no partner signature, but Stripe's own over the raw body. */
export function stripeWebhook(runtime: ApiServices, settle: ApplyPaymentState): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  router.post(STRIPE_WEBHOOK_PATH, rawBody, async (req, res) => {
    res.locals.route = STRIPE_WEBHOOK_PATH;
    await receiveStripeNotification(
      runtime,
      {
        rawBody: Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
        headers: { 'stripe-signature': req.get('Stripe-Signature') },
      },
      settle,
    );
    res.json({ received: true });
  });
  router.all(STRIPE_WEBHOOK_PATH, onlyMethods(['POST']));
  return router;
}
