import type { Response } from 'express';
import type { SessionForPage } from '../../../shared/checkout/read-session.ts';
import { writeFormToken } from '../../../shared/checkout/session-link.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { declineText } from './decline-texts.ts';
import { allowFormTargets } from './headers.ts';
import { checkoutLayout } from './layout.ts';
import { HTTP_STATUS, pageKind } from './page-kind.ts';
import { type PayForm, payView } from './pay.view.ts';
import type { BuyerFields, FieldErrors } from './payment-form.ts';
import { type Links, STATE_VIEWS } from './state.view.ts';
import { summaryView } from './summary.view.ts';

const LOOK_AGAIN_SECONDS = 5;
const RESERVED_SECONDS = 60;

/** The addresses of a session's page, with the token that opens it. */
export function checkoutLinks(sessionId: string, token: string): Links & { pay: string } {
  const to = (path: string) => `/checkout/${sessionId}${path}?pt=${token}`;
  return {
    self: to(''),
    pay: to('/pay'),
    confirm: to('/confirm'),
    resume: to('/return'),
    cancel: to('/cancel'),
  };
}

/** What the buyer sent, to be shown again with what is wrong about it. */
export interface Retry {
  buyer: BuyerFields;
  errors?: FieldErrors;
  /** The price that was shown before, when it is not the one in force any more. */
  shown?: Money;
}

/** Shows how the session stands: the form while it can be paid, else what became of it. */
export async function sendCheckoutPage(
  runtime: Pick<Runtime, 'tokens' | 'clock' | 'payments'>,
  res: Response,
  opened: SessionForPage,
  retry?: Retry,
): Promise<void> {
  const { session } = opened;
  const now = runtime.clock.now();
  const { collects } = runtime.payments(session.environment);
  const kind = pageKind(opened, collects);
  const links = checkoutLinks(session.id, res.locals.token);
  const formToken = await writeFormToken(
    runtime.tokens,
    session.id,
    session.price,
    session.expiresAt,
  );
  allowFormTargets(res, [session.cancelUrl ?? session.returnUrl], collects === 'redirect');

  const view =
    kind === 'pay'
      ? {
          title: `Pay for ${session.domain}`,
          content: payView(payForm(opened, links, formToken, collects === 'card_form', retry)),
        }
      : STATE_VIEWS[kind](opened, links, formToken);
  if (kind === 'reserved') res.set('Retry-After', String(RESERVED_SECONDS));
  const waits = kind === 'pending' && {
    refresh: { seconds: LOOK_AGAIN_SECONDS, url: links.resume },
  };
  const buying = kind === 'pay' || kind === 'confirm' || kind === 'elsewhere';
  res
    .status(kind === 'pay' && retry ? statusOfRetry(retry) : HTTP_STATUS[kind])
    .type('html')
    .send(
      checkoutLayout({
        ...view,
        ...waits,
        ...(buying && { summary: summaryView(opened, now) }),
        sandbox: session.environment === 'SANDBOX',
      }),
    );
}

function statusOfRetry(retry: Retry): number {
  return retry.shown ? 409 : 422;
}

function payForm(
  { session, partnerName }: SessionForPage,
  links: Links & { pay: string },
  formToken: string,
  cardForm: boolean,
  retry: Retry | undefined,
): PayForm {
  return {
    action: links.pay,
    cancelAction: links.cancel,
    formToken,
    price: session.price,
    buyer: retry?.buyer ?? {
      email: session.buyerEmail ?? '',
      name: session.buyerName ?? '',
      country: session.buyerCountry ?? '',
    },
    errors: retry?.errors ?? {},
    alert: retry?.shown
      ? newPrice(retry.shown, session.price)
      : retry
        ? null
        : declineText(session.lastDecline),
    cardForm,
    testCards: session.environment === 'SANDBOX',
    backTo: (session.cancelUrl ?? session.returnUrl) && partnerName,
  };
}

function newPrice(before: Money, now: Money): { title: string; text: string } {
  const [was, is] = [before, now].map(formatMoney);
  return {
    title: `The price is now ${is}`,
    text: `It was ${was} when you opened this page. You were not charged. To buy at the new price, enter your card again and pay.`,
  };
}
