import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { DisputeState } from './dispute.ts';

/** Card fields as entered; held in memory for one call only. */
export interface Card {
  number: string;
  expMonth: number;
  expYear: number;
  cvc: string;
}

/** The machine-readable reason why a payment failed, which the buyer's page explains. */
export type DeclineCode =
  | 'card_declined'
  | 'insufficient_funds'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'invalid_card'
  | 'authentication_failed'
  | 'processing_error'
  | 'cancelled';

/**
 * The state of a payment at its provider. `requires_confirmation`: the buyer must complete a step, on our own page
 * (`url` null) or the provider's. `pending`: the provider will report the result later.
 */
export type PaymentState =
  | {
      status: 'succeeded';
      reference: string;
      /** Whether the provider suspects fraud and wants a person to review the payment first. */
      inReview?: boolean;
      /** The card used, if {@link PaymentRequest.keepsCard} asked to store it. */
      keptCard?: KeptCard;
    }
  | { status: 'failed'; reference: string | null; code: DeclineCode }
  | { status: 'requires_confirmation'; reference: string; url: string | null }
  | { status: 'pending'; reference: string };

export interface PaymentRequest {
  /** Our stable ID: a provider makes at most one charge for it, however often we call it. */
  paymentId: string;
  amount: Money;
  /** The description shown to the buyer next to the amount. */
  description: string;
  buyerEmail: string;
  /** Where the provider's page redirects the buyer; unused by a `card_form`. */
  returnUrl: string;
  cancelUrl: string;
  /** Null if the provider takes the card on its own page. */
  card: Card | null;
  /** Whether the buyer allows off-session charges of the card. */
  keepsCard?: boolean;
  /** The provider's customer for the stored card, if the buyer already has one. */
  customer?: string | null;
  /** When the provider's page stops taking payments (within the provider's own limits). */
  expiresAt: Date;
}

/** A card that its owner allows us to charge off-session, as the provider identifies it. */
export interface KeptCard {
  token: string;
  /** The provider's customer that owns it, if any. */
  customer: string | null;
  /** Such as `visa`. */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** An off-session charge of a stored card. */
export interface ChargeRequest {
  /** Our stable ID: a provider makes at most one charge for it, however often we call it. */
  paymentId: string;
  amount: Money;
  description: string;
  card: KeptCard;
}

/** The payment that we requested. A response about another payment, amount or currency is rejected. */
export interface ExpectedPayment {
  paymentId: string;
  amount: Money;
  /** The provider's customer whose stored card is charged; none if the buyer pays on session. */
  customer?: string | null;
}

export interface ProviderRefundRequest {
  /** Each payment has one refund: a repeated request returns the same one. */
  paymentId: string;
  reference: string;
  amount: Money;
}

export interface RefundResult {
  status: 'succeeded' | 'pending' | 'failed';
  reference: string | null;
}

/** A payout to a partner's account at the provider. */
export interface PayoutTransfer {
  /** Our stable ID: a provider makes at most one transfer for it, however often we call it. */
  payoutId: string;
  amount: Money;
  account: string;
}

/** `later`: our balance at the provider is not sufficient yet. */
export type PayoutTransferResult =
  | { status: 'sent'; reference: string }
  | { status: 'refused'; reason: string }
  | { status: 'later' };

/** A payout transfer that the provider reversed in full. */
export interface PayoutReturn {
  payoutId: string;
  /** The ID of the transfer. */
  reference: string;
  returnReference: string;
}

/** The outcome of the provider's review. `other`: ended for a reason that the provider reports separately. */
export type ReviewOutcome = 'approved' | 'refused' | 'other';

/** An update of a card at its provider; `card` is null if the card is gone. */
export interface CardNews {
  token: string;
  card: Pick<KeptCard, 'brand' | 'last4' | 'expMonth' | 'expYear'> | null;
}

/**
 * A provider's notification about one of our payments, its refund (`isWhole`: nothing of the payment is left), the
 * total that was refunded by hand so far if it is only a part, its review, or a dispute.
 */
export type PaymentNotification =
  | { paymentId: string; step: PaymentState }
  | { paymentId: string; refund: RefundResult; isWhole?: boolean }
  | { paymentId: string; partialRefund: Money }
  | { paymentId: string; review: ReviewOutcome }
  | { paymentId: string; dispute: DisputeState };

/**
 * A payment provider. An adapter throws if it gets no response or one that does not match the request; the caller then
 * retries with the same payment ID.
 */
export interface PaymentProvider {
  name: 'sandbox' | 'stripe';
  /** `card_form`: our page takes the test card. `redirect`: the provider's page takes the card; we get no card data. */
  collects: 'card_form' | 'redirect';
  /** Returns whether it can charge, refund and transfer exactly this amount. Others are rejected, never rounded. */
  carries(amount: Money): boolean;
  /** Starts a payment. Idempotent on the payment ID: the outcome of the first call stands. */
  begin(request: PaymentRequest): Promise<PaymentState>;
  /** Whether it can store cards for off-session charges. */
  keepsCards: boolean;
  /**
   * Charges a stored card; idempotent on the payment ID. If the bank requires the owner's confirmation, it fails as
   * `authentication_failed`. If it throws, {@link read} tells later whether the card was charged.
   */
  charge(request: ChargeRequest): Promise<PaymentState>;
  /** Deletes a stored card; no error if it is unknown. */
  forgetCard(card: Pick<KeptCard, 'token'>): Promise<void>;
  /** Sends the buyer's answer to the sandbox's confirmation. At Stripe, refusing closes the page; approving reads. */
  confirm(reference: string, approved: boolean, expected: ExpectedPayment): Promise<PaymentState>;
  /**
   * Reads a payment by its reference, or by our payment ID if {@link begin} or {@link charge} never got a response.
   * A payment that the provider does not know is failed.
   */
  read(reference: string, expected: ExpectedPayment): Promise<PaymentState>;
  /** Refunds the full amount; idempotent on the payment ID. */
  refund(request: ProviderRefundRequest): Promise<RefundResult>;
  /** Sends a payout to a partner's account at the provider once; first looks for an earlier transfer. */
  payOut(request: PayoutTransfer): Promise<PayoutTransferResult>;
  /** Returns whether an account at the provider can receive money now. */
  canBePaid(account: string): Promise<boolean>;
  /**
   * Verifies a notification's signature over the raw body and reads it. Null if it is not about one of our payments, a
   * payout or a card, or does not match our request, which `find` returns by payment ID.
   * @throws ServiceError validation_error
   */
  readNotification(
    rawBody: Buffer,
    headers: Record<string, string | undefined>,
    find: (paymentId: string) => Promise<ExpectedPayment | undefined>,
  ): Promise<PaymentNotification | PayoutReturn | CardNews | null>;
}

/** Returns the provider of an environment: the sandbox provider for SANDBOX, the configured one for LIVE. */
export type PaymentProviders = (environment: Environment) => PaymentProvider;
