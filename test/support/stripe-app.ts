import type { CheckoutSession } from '../../shared/sales/checkout/checkout-session.ts';
import { startTestApp, type TestApp } from './app.ts';
import { givenSession, ordersOf, payFor } from './payments.ts';
import { nameRegistrant } from './sales.ts';
import type { TestSettings } from './settings.ts';
import { type StripeStandIn, startStripeStandIn, stripeEnv } from './stripe-stand-in.ts';

/** The API with the stand-in instead of Stripe. */
export interface StripeApp extends TestApp {
  stripe: StripeStandIn;
  /** Posts a notification as Stripe does. */
  notify(body: string, signature: string): Promise<Response>;
  /** Posts a signed notification, and resolves once it is accepted. */
  tell(type: string, object: object): Promise<void>;
  /** Creates a LIVE session whose buyer was sent to Stripe's page. */
  givenBuyerAtStripe(
    buyer?: Parameters<typeof payFor>[3],
  ): Promise<{ session: CheckoutSession; page: string }>;
  /** Records a LIVE order that was paid at Stripe, and names its registrant. */
  givenPaidOrder(): Promise<{
    session: CheckoutSession;
    page: string;
    orderId: string;
    partnerId: string;
  }>;
}

export async function startStripeApp(env: TestSettings = {}): Promise<StripeApp> {
  const stripe: StripeStandIn = await startStripeStandIn(() => app.runtime.clock.now());
  const app: TestApp = await startTestApp({ ...stripeEnv(stripe), ...env });
  const notify = (body: string, signature: string) =>
    fetch(`${app.url}/payments/stripe/webhook`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body,
    });
  const stripeApp: StripeApp = {
    ...app,
    stripe,
    notify,
    async tell(type, object) {
      const { body, signature } = stripe.notification(type, object, app.runtime.clock.now());
      const answer = await notify(body, signature);
      const told = `${answer.status} ${await answer.text()}`;
      if (told !== '200 {"received":true}') throw new Error(told);
    },
    async givenBuyerAtStripe(buyer) {
      const session = await givenSession(app.runtime, 'LIVE');
      const outcome = await payFor(app.runtime, session, null, buyer);
      const step = outcome.kind === 'step' ? outcome.step : undefined;
      if (step?.status !== 'requires_confirmation' || !step.url) {
        throw new Error(`not sent to Stripe: ${JSON.stringify(outcome)}`);
      }
      return { session, page: step.reference };
    },
    async givenPaidOrder() {
      const { session, page } = await stripeApp.givenBuyerAtStripe();
      await stripeApp.tell('checkout.session.completed', stripe.pay(page));
      const [order] = await ordersOf(app.runtime, session);
      const orderId = order?.id ?? '';
      await nameRegistrant(app.runtime, orderId);
      return { session, page, orderId, partnerId: session.partnerId };
    },
    async stop() {
      await app.stop();
      await stripe.stop();
    },
  };
  return stripeApp;
}
