import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { DisputeState } from './dispute.ts';

/** Card fields as typed; held in memory for one call only. */
export interface Card {
  number: string;
  expMonth: number;
  expYear: number;
  cvc: string;
}

/** Why a payment failed, as the buyer's page tells it; machine-readable. */
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
 * The state of a payment at its provider. `requires_confirmation`: the buyer has a step to do, on our own page (`url`
 * null) or on the provider's. `pending`: the provider will tell later.
 */
export type PaymentState =
  | {
      status: 'succeeded';
      reference: string;
      /** The provider suspects fraud and wants a person to look at the payment first. */
      inReview?: boolean;
      /** The card that it was paid with, where {@link PaymentRequest.keepsCard} asked to keep it. */
      keptCard?: KeptCard;
    }
  | { status: 'failed'; reference: string | null; code: DeclineCode }
  | { status: 'requires_confirmation'; reference: string; url: string | null }
  | { status: 'pending'; reference: string };

export interface PaymentRequest {
  /** Ours and stable: a provider makes at most one charge of it, however often it is asked. */
  paymentId: string;
  amount: Money;
  /** The description that the buyer sees beside the amount. */
  description: string;
  buyerEmail: string;
  /** Where the provider's page sends the buyer afterwards; unused by a `card_form`. */
  returnUrl: string;
  cancelUrl: string;
  /** Null with a provider that takes the card on its own page. */
  card: Card | null;
  /** Whether the buyer lets us charge the card again without them. */
  keepsCard?: boolean;
  /** The provider's customer that a kept card goes to, where the buyer is one already. */
  customer?: string | null;
  /** The provider's page takes no money after it (within the provider's own bounds). */
  expiresAt: Date;
}

/** A card that its owner let us charge without them, as the provider names it. */
export interface KeptCard {
  token: string;
  /** The provider's customer that it belongs to, if it has such. */
  customer: string | null;
  /** Such as `visa`. */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** A charge of a kept card, without its owner. */
export interface ChargeRequest {
  /** Ours and stable: a provider makes at most one charge of it, however often it is asked. */
  paymentId: string;
  amount: Money;
  description: string;
  card: KeptCard;
}

/** The payment that we asked for. An answer about another payment, amount or currency is rejected. */
export interface ExpectedPayment {
  paymentId: string;
  amount: Money;
  /** The provider's customer whose kept card is charged; none where the buyer pays. */
  customer?: string | null;
}

export interface ProviderRefundRequest {
  /** One refund a payment: asked for again it answers the same one. */
  paymentId: string;
  reference: string;
  amount: Money;
}

export interface RefundResult {
  status: 'succeeded' | 'pending' | 'failed';
  reference: string | null;
}

/** Money for a partner, to be sent to its account at the provider. */
export interface PayoutTransfer {
  /** Ours and stable: a provider sends at most one transfer of it, however often it is asked. */
  payoutId: string;
  amount: Money;
  account: string;
}

/** `later`: our balance at the provider does not suffice yet. */
export type PayoutTransferResult =
  | { status: 'sent'; reference: string }
  | { status: 'refused'; reason: string }
  | { status: 'later' };

/** A provider's transfer of a payout that came back as a whole. */
export interface PayoutReturn {
  payoutId: string;
  /** The id of the transfer. */
  reference: string;
  returnReference: string;
}

/** How the provider's review of a payment ended. `other`: neither way; whatever ended it is told by itself. */
export type ReviewOutcome = 'approved' | 'refused' | 'other';

/** What became of a card at its provider; null when it is gone. */
export interface CardNews {
  token: string;
  card: Pick<KeptCard, 'brand' | 'last4' | 'expMonth' | 'expYear'> | null;
}

/**
 * What a provider told us by itself about a payment of ours, its refund (`isWhole`: nothing of it is left), its review, or a
 * dispute of it.
 */
export type PaymentNotification =
  | { paymentId: string; step: PaymentState }
  | { paymentId: string; refund: RefundResult; isWhole?: boolean }
  | { paymentId: string; review: ReviewOutcome }
  | { paymentId: string; dispute: DisputeState };

/**
 * A payment provider. An adapter throws when it gets no answer, or one that does not match the request; the caller then
 * retries with the same payment id.
 */
export interface PaymentProvider {
  name: 'sandbox' | 'stripe';
  /** `card_form`: our page takes the test card; `redirect`: the buyer pays on the provider's page and card data never reaches us. */
  collects: 'card_form' | 'redirect';
  /** Whether it can take, give back and send exactly this amount. One that it cannot is refused, never rounded. */
  carries(amount: Money): boolean;
  /** Idempotent on the payment id: the outcome of the first call stands. */
  begin(request: PaymentRequest): Promise<PaymentState>;
  /** Whether it can keep cards and charge them without their owners. */
  keepsCards: boolean;
  /**
   * Charges a kept card; idempotent on the payment id. A card whose bank wants its owner to confirm fails as
   * `authentication_failed`. Where it throws, {@link read} tells later whether the card was charged.
   */
  charge(request: ChargeRequest): Promise<PaymentState>;
  /** Forgets a kept card; one that is unknown stays so. */
  forgetCard(card: Pick<KeptCard, 'token'>): Promise<void>;
  /** The buyer's answer to the sandbox's confirmation step; at Stripe a refusal closes the page, an approval only reads. */
  confirm(reference: string, approved: boolean, expected: ExpectedPayment): Promise<PaymentState>;
  /**
   * By its reference, or by our payment id when no answer to {@link begin} or {@link charge} ever arrived. What
   * the provider does not know reads as failed.
   */
  read(reference: string, expected: ExpectedPayment): Promise<PaymentState>;
  /** Refunds the whole amount; idempotent on the payment id. */
  refund(request: ProviderRefundRequest): Promise<RefundResult>;
  /**
   * Sends a payout to a partner's account at the provider, once: what was sent before is looked for first.
   */
  payOut(request: PayoutTransfer): Promise<PayoutTransferResult>;
  /** Whether an account at the provider can receive money now. */
  canBePaid(account: string): Promise<boolean>;
  /**
   * Verifies a notification's signature over the raw body; null when it is not about a payment of ours, a payout or
   * a card, or does not fit what we asked for, which `find` tells by our payment id.
   * @throws ServiceError validation_error
   */
  readNotification(
    rawBody: Buffer,
    headers: Record<string, string | undefined>,
    find: (paymentId: string) => Promise<ExpectedPayment | undefined>,
  ): Promise<PaymentNotification | PayoutReturn | CardNews | null>;
}

/** The provider of an environment: SANDBOX is always the sandbox's, LIVE as configured. */
export type PaymentProviders = (environment: Environment) => PaymentProvider;
