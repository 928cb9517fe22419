// Written by `npm run sdk:generate` out of the OpenAPI document of the partner API.

import type { KeyedMethod, Method, NoInput, WithCsv, WithPages, WithPdf } from '../method.ts';
import type { Operation } from '../operation.ts';
import type {
  AcceptOfferInput,
  AdvanceInput,
  AdvanceOrderPath,
  Analytics,
  AuthCode,
  Availability,
  CancelReplayInput,
  CaseDetail,
  CaseInput,
  CaseList,
  CheckoutSession,
  CheckoutSessionInput,
  ClickReport,
  ClockMoveInput,
  CommissionList,
  CounterOfferPath,
  CreatedCheckoutSession,
  DeclineOfferInput,
  DeliveryList,
  Document,
  DomainDetail,
  Eligibility,
  Endpoint,
  EndpointInput,
  EventList,
  GetAnalyticsInput,
  GetAvailabilityInput,
  GetCaseInput,
  GetClicksInput,
  GetDocumentInput,
  GetDomainInput,
  GetEligibilityInput,
  GetOfferInput,
  GetOrderInput,
  GetPayoutInput,
  GetPricingInput,
  GetReplayInput,
  GetSessionInput,
  GetSettlementInput,
  GetWebhookEndpointInput,
  IssueAuthCodeInput,
  Link,
  LinkInput,
  LinkList,
  ListCasesInput,
  ListCommissionsInput,
  ListDeliveriesInput,
  ListEventsInput,
  ListLinksInput,
  ListOffersInput,
  ListOrdersInput,
  ListPayoutsInput,
  ListReferralPayoutsInput,
  ListSalesInput,
  ListSettlementsInput,
  ListTransactionsInput,
  ListWebhookEndpointsInput,
  NewWebhookEndpoint,
  Offer,
  OfferCounterInput,
  OfferInput,
  OfferList,
  OpenedCase,
  Order,
  OrderDetail,
  OrderInput,
  OrderList,
  PayoutDetail,
  PayoutList,
  Pricing,
  Quote,
  QuoteInput,
  ReferralPayoutList,
  ReferredSaleList,
  Refund,
  RefundInput,
  RegisteredEndpoint,
  Registrant,
  ReleaseQuoteInput,
  RemoveWebhookEndpointInput,
  Replay,
  ReplayEventsPath,
  ReplayRequest,
  ResendDeliveryInput,
  ResendEventInput,
  RotateSecretPath,
  SandboxClock,
  ScheduledDeliveries,
  ScheduledDelivery,
  SearchDomainsInput,
  SearchResults,
  SecretRotation,
  SetRegistrantPath,
  SettlementDetail,
  SettlementList,
  TestWebhookEndpointInput,
  TransactionList,
  UpdateWebhookEndpointPath,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
} from './types.ts';

/** Every endpoint of the partner API. */
export interface Methods {
  analytics: {
    /**
     * Read your funnel, GMV and commission over a range.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    get: Method<GetAnalyticsInput, Analytics>;
  };
  authCodes: {
    /**
     * Get the authorization code of a sold domain, to transfer it to your registrar.
     *
     * For orders with delivery `partner_registrar`, once the domain is released (`transfer.released`). Each call creates a new code and invalidates the previous one. We approve the transfer that is requested with it.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    issue: Method<IssueAuthCodeInput, AuthCode>;
  };
  availability: {
    /**
     * Check whether a domain can be bought now. An unlisted domain is unavailable, not an error.
     *
     * Also 200, with `available: false`, for a domain that is sold, held or not listed.
     *
     * Needs the scope `search`. Counts in the limit group `search`.
     */
    get: Method<GetAvailabilityInput, Availability>;
  };
  cases: {
    /**
     * Open a brokerage case for a buyer.
     *
     * The buyer follows the case at `progress_url`, without an account.
     *
     * Needs the scope `broker`. Counts in the limit group `write`.
     */
    open: Method<CaseInput, OpenedCase>;
    /**
     * List your brokerage cases and their outcomes, newest first.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListCasesInput, CaseList> & WithPages<ListCasesInput, CaseList, CaseList['cases'][number]>;
    /**
     * Read a brokerage case with its timeline.
     *
     * Needs the scope `broker`. Counts in the limit group `reads`.
     */
    get: Method<GetCaseInput, CaseDetail>;
  };
  checkoutSessions: {
    /**
     * Create a hosted payment page.
     *
     * Redirect the buyer to `checkout_url`. The page stays open for seven days and keeps today's price for 24 hours, or the price of `quote_id` until the quote expires.
     *
     * Needs the scope `embed`. Counts in the limit group `write`.
     */
    create: Method<CheckoutSessionInput, CreatedCheckoutSession>;
    /**
     * Read a checkout session.
     *
     * Needs the scope `embed`. Counts in the limit group `reads`.
     */
    get: Method<GetSessionInput, CheckoutSession>;
  };
  clicks: {
    /**
     * Read the clicks on your links: totals and a series.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    get: Method<GetClicksInput, ClickReport>;
  };
  commissions: {
    /**
     * List the history of your commissions with the running balance, newest first.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListCommissionsInput, CommissionList> & WithPages<ListCommissionsInput, CommissionList, CommissionList['commissions'][number]>;
  };
  deliveries: {
    /**
     * List webhook deliveries with every attempt, newest first.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    list: Method<ListDeliveriesInput, DeliveryList> & WithPages<ListDeliveriesInput, DeliveryList, DeliveryList['deliveries'][number]>;
    /**
     * Resend the event of a delivery.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    resend: Method<ResendDeliveryInput, ScheduledDelivery>;
  };
  documents: {
    /**
     * Read an issued document, as JSON or PDF.
     *
     * Requires the scope of the document's subject: `buy` or `search` for orders, `buy` for settlements, `report` for payouts.
     *
     * Needs the scope `buy` or `search` or `report`. Counts in the limit group `reporting`.
     */
    get: Method<GetDocumentInput, Document> & WithPdf<GetDocumentInput>;
  };
  domains: {
    /**
     * Search the inventory by meaning, keyword or name.
     *
     * At most five results, best first. Limits in words ("under $500", ".io", "max 6 letters") are enforced and listed in `interpreted`. Domains held by a quote are omitted.
     *
     * Needs the scope `search`. Counts in the limit group `search`.
     */
    search: Method<SearchDomainsInput, SearchResults>;
    /**
     * Read one domain: price, availability and metadata.
     *
     * Needs the scope `search`. Counts in the limit group `search`.
     */
    get: Method<GetDomainInput, DomainDetail>;
  };
  eligibility: {
    /**
     * Check whether a domain can be brokered.
     *
     * A domain is not eligible if it is listed here, runs an active site, has an open case, is not registered, or is under an unsupported suffix.
     *
     * Needs the scope `broker`. Counts in the limit group `reads`.
     */
    get: Method<GetEligibilityInput, Eligibility>;
  };
  events: {
    /**
     * Read the event history, oldest first.
     *
     * The history is complete: no event ever appears before one you have already read. Store the ID of the last event you handled and continue from it.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    list: Method<ListEventsInput, EventList> & WithPages<ListEventsInput, EventList, EventList['events'][number]>;
    /**
     * Send a past event to every endpoint subscribed to its type.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    resend: Method<ResendEventInput, ScheduledDeliveries>;
  };
  links: {
    /**
     * Create a tracked link.
     *
     * Needs the scope `refer`. Counts in the limit group `write`.
     */
    create: Method<LinkInput, Link>;
    /**
     * List your links with their clicks and sales, newest first.
     *
     * Needs the scope `refer`. Counts in the limit group `reporting`.
     */
    list: Method<ListLinksInput, LinkList> & WithPages<ListLinksInput, LinkList, LinkList['links'][number]>;
  };
  offers: {
    /**
     * Make an offer for a domain.
     *
     * For listings with `offers_accepted`. Our staff answer for the owner within seven days, or the offer expires; some offers are accepted immediately. An accepted offer becomes a quote for 48 hours.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `write`.
     */
    create: Method<OfferInput, Offer>;
    /**
     * List your offers, newest first.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `reads`.
     */
    list: Method<ListOffersInput, OfferList> & WithPages<ListOffersInput, OfferList, OfferList['offers'][number]>;
    /**
     * Read an offer.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `reads`.
     */
    get: Method<GetOfferInput, Offer>;
    /**
     * Accept the owner's counteroffer.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `write`.
     */
    accept: Method<AcceptOfferInput, Offer>;
    /**
     * Answer the owner's counteroffer with another price.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `write`.
     */
    counter: Method<CounterOfferPath & OfferCounterInput, Offer>;
    /**
     * Decline the owner's counteroffer.
     *
     * Needs the scope `buy` or `embed`. Counts in the limit group `write`.
     */
    decline: Method<DeclineOfferInput, Offer>;
  };
  orders: {
    /**
     * Record a sale whose payment you collected.
     *
     * Collect the price from the buyer first. It must be the current price: the price of the quote, or without a quote, of the listing. Only successful responses are stored under the key; after an error, correct the request and send it again with the same key.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    create: KeyedMethod<OrderInput, Order>;
    /**
     * List your orders, newest first.
     *
     * Needs the scope `buy` or `search`. Counts in the limit group `reads`.
     */
    list: Method<ListOrdersInput, OrderList> & WithPages<ListOrdersInput, OrderList, OrderList['orders'][number]>;
    /**
     * Read an order with its timeline as JSON, or its newest document as PDF.
     *
     * The PDF is the credit note for a refunded order, otherwise the invoice.
     *
     * Needs the scope `buy` or `search`. Counts in the limit group `reads`.
     */
    get: Method<GetOrderInput, OrderDetail> & WithPdf<GetOrderInput>;
    /**
     * Move a sandbox order to its next step.
     *
     * `SETTLED` immediately closes a statement of your delivered sandbox orders.
     *
     * Needs the scope `buy`. Counts in the limit group `write`. Only for SANDBOX credentials.
     */
    advance: Method<AdvanceOrderPath & AdvanceInput, OrderDetail>;
  };
  payouts: {
    /**
     * List the payouts made to you, as JSON or CSV.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListPayoutsInput, PayoutList> & WithPages<ListPayoutsInput, PayoutList, PayoutList['payouts'][number]> & WithCsv<ListPayoutsInput>;
    /**
     * Read a payout, as JSON or its advice as PDF.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    get: Method<GetPayoutInput, PayoutDetail> & WithPdf<GetPayoutInput>;
  };
  pricing: {
    /**
     * Read the buy-now and floor price of a listed domain.
     *
     * Needs the scope `search`. Counts in the limit group `search`.
     */
    get: Method<GetPricingInput, Pricing>;
  };
  quotes: {
    /**
     * Lock the buy-now price of a domain.
     *
     * Holds the domain for ten minutes: others see it as unavailable. Quoting it again creates a new quote and ends the old one. You can hold at most 50 domains at a time.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    create: Method<QuoteInput, Quote>;
    /**
     * Release a quote and its hold.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    release: Method<ReleaseQuoteInput, void>;
  };
  referralPayouts: {
    /**
     * List the payouts of your commissions with the total paid, newest first.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListReferralPayoutsInput, ReferralPayoutList> & WithPages<ListReferralPayoutsInput, ReferralPayoutList, ReferralPayoutList['payouts'][number]>;
  };
  refunds: {
    /**
     * Refund an order whose domain has not been delivered yet.
     *
     * For orders whose payment you collected, until the registrar has moved the domain. If its push may already be on the way, `completed_at` is null and the order does not change: `order.refunded` announces that the push was stopped. Return the money then.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    create: Method<RefundInput, Refund>;
  };
  registrants: {
    /**
     * Set the registrant of an order's domain.
     *
     * Allowed until the domain is delivered. An order with `action_required: registrant_required` then continues. The TLD's required fields are in `registrant_schema` of its metadata.
     *
     * Needs the scope `buy`. Counts in the limit group `write`.
     */
    set: Method<SetRegistrantPath & Registrant, Order>;
  };
  replays: {
    /**
     * Read the progress of a replay.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    get: Method<GetReplayInput, Replay>;
    /**
     * Stop a replay and cancel its pending deliveries.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    cancel: Method<CancelReplayInput, Replay>;
  };
  sales: {
    /**
     * List the sales from your links, newest first.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListSalesInput, ReferredSaleList> & WithPages<ListSalesInput, ReferredSaleList, ReferredSaleList['sales'][number]>;
  };
  sandboxClocks: {
    /**
     * Get the current time of your sandbox.
     *
     * Needs the scope `buy` or `report`. Counts in the limit group `reads`. Only for SANDBOX credentials.
     */
    get: Method<NoInput, SandboxClock>;
    /**
     * Move the clock of your sandbox forward.
     *
     * Give `to` or `by`. Everything due in between happens in order, with its events: transfers, expiries, ends of settlement periods, payouts. The clock never goes back, and can be at most 731 days ahead of real time. Send an `Idempotency-Key` with `by`, so that a retry does not move the clock twice.
     *
     * Needs the scope `buy`. Counts in the limit group `write`. Only for SANDBOX credentials.
     */
    advance: Method<ClockMoveInput, SandboxClock>;
  };
  settlements: {
    /**
     * List your settlement statements, the running period first.
     *
     * Needs the scope `buy`. Counts in the limit group `reporting`.
     */
    list: Method<ListSettlementsInput, SettlementList> & WithPages<ListSettlementsInput, SettlementList, SettlementList['settlements'][number]>;
    /**
     * Read a settlement statement with its lines, as JSON, CSV or PDF.
     *
     * Needs the scope `buy`. Counts in the limit group `reporting`.
     */
    get: Method<GetSettlementInput, SettlementDetail> & WithPages<GetSettlementInput, SettlementDetail, SettlementDetail['lines'][number]> & WithCsv<GetSettlementInput> & WithPdf<GetSettlementInput>;
  };
  transactions: {
    /**
     * List your sales, refunds and clawbacks with totals, as JSON or CSV.
     *
     * `totals` cover all matching rows, not just this page.
     *
     * Needs the scope `report`. Counts in the limit group `reporting`.
     */
    list: Method<ListTransactionsInput, TransactionList> & WithPages<ListTransactionsInput, TransactionList, TransactionList['transactions'][number]> & WithCsv<ListTransactionsInput>;
  };
  webhookEndpoints: {
    /**
     * Create a webhook endpoint.
     *
     * Up to 10 per partner and environment, besides that of `PUT /webhooks` (named `default`). Earlier events are not sent; use a replay for them.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    create: Method<NewWebhookEndpoint, WebhookEndpointWithSecret>;
    /**
     * List the webhook endpoints, newest first.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    list: Method<ListWebhookEndpointsInput, WebhookEndpointList> & WithPages<ListWebhookEndpointsInput, WebhookEndpointList, WebhookEndpointList['endpoints'][number]>;
    /**
     * Read a webhook endpoint and its health.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    retrieve: Method<GetWebhookEndpointInput, WebhookEndpoint>;
    /**
     * Change, pause or re-enable a webhook endpoint.
     *
     * Omitted fields keep their values. `headers` replaces all headers. A new URL re-enables a disabled endpoint.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    update: Method<UpdateWebhookEndpointPath & WebhookEndpointChange, WebhookEndpoint>;
    /**
     * Remove a webhook endpoint and cancel its pending deliveries.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    delete: Method<RemoveWebhookEndpointInput, void>;
    /**
     * Rotate the secret of a webhook endpoint; the old one also signs for a day.
     *
     * `X-Service-Signature` uses the new secret immediately; `webhook-signature` carries a signature of both secrets until the overlap ends.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    rotateSecret: Method<RotateSecretPath & SecretRotation, WebhookEndpointWithSecret>;
    /**
     * Send a signed webhook.ping to a webhook endpoint.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    sendTest: Method<TestWebhookEndpointInput, ScheduledDelivery>;
    /**
     * Resend the events of a period to a webhook endpoint.
     *
     * Sends the event types the endpoint is subscribed to, oldest first. `event_types` narrows them further.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    replay: Method<ReplayEventsPath & ReplayRequest, Replay>;
    /**
     * Register, replace or re-activate the webhook endpoint.
     *
     * This is the endpoint named `default`; `POST /v1/webhooks/endpoints` creates others. Earlier events are not sent; read them from the event history.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    register: Method<EndpointInput, RegisteredEndpoint>;
    /**
     * Read the webhook endpoint and its health.
     *
     * Needs the scope `webhook`. Counts in the limit group `reads`.
     */
    get: Method<NoInput, Endpoint>;
    /**
     * Remove the webhook endpoint and cancel its pending deliveries.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    remove: Method<NoInput, void>;
    /**
     * Send a signed webhook.ping to the endpoint.
     *
     * Needs the scope `webhook`. Counts in the limit group `write`.
     */
    test: Method<NoInput, ScheduledDelivery>;
  };
  /** @deprecated Use `webhookEndpoints`. */
  endpoints: Methods['webhookEndpoints'];
  /** @deprecated Use `checkoutSessions`. */
  sessions: Methods['checkoutSessions'];
}

export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  analytics: {
    get: {"method":"GET","path":"/v1/analytics","query":["from","to","interval","currency"]},
  },
  authCodes: {
    issue: {"method":"POST","path":"/v1/orders/{public_id}/auth-code"},
  },
  availability: {
    get: {"method":"GET","path":"/v1/availability","query":["domain"]},
  },
  cases: {
    open: {"method":"POST","path":"/v1/brokerage","body":true},
    list: {"method":"GET","path":"/v1/brokerage","query":["limit","cursor","from","to","status"],"pages":{"items":"cases","cursor":"cursor"}},
    get: {"method":"GET","path":"/v1/brokerage/{case_id}"},
  },
  checkoutSessions: {
    create: {"method":"POST","path":"/v1/checkout-session","body":true},
    get: {"method":"GET","path":"/v1/checkout-session/{id}"},
  },
  clicks: {
    get: {"method":"GET","path":"/v1/me/clicks","query":["from","to","interval"]},
  },
  commissions: {
    list: {"method":"GET","path":"/v1/me/commissions","query":["limit","cursor","from","to","type"],"pages":{"items":"commissions","cursor":"cursor"}},
  },
  deliveries: {
    list: {"method":"GET","path":"/v1/webhooks/deliveries","query":["limit","cursor","from","to","endpoint_id","event_type","event_id","status"],"pages":{"items":"deliveries","cursor":"cursor"}},
    resend: {"method":"POST","path":"/v1/webhooks/deliveries/{id}/resend"},
  },
  documents: {
    get: {"method":"GET","path":"/v1/documents/{id}","pdf":true},
  },
  domains: {
    search: {"method":"GET","path":"/v1/domains/search","query":["q","tld","min_price_cents","max_price_cents","explain"]},
    get: {"method":"GET","path":"/v1/domains/{name}"},
  },
  eligibility: {
    get: {"method":"GET","path":"/v1/brokerage/eligibility","query":["domain"]},
  },
  events: {
    list: {"method":"GET","path":"/v1/events","query":["after_id","limit"],"pages":{"items":"events","cursor":"after_id"}},
    resend: {"method":"POST","path":"/v1/events/{id}/resend"},
  },
  links: {
    create: {"method":"POST","path":"/v1/links","body":true},
    list: {"method":"GET","path":"/v1/links","query":["limit","cursor","kind","sub_id","currency"],"pages":{"items":"links","cursor":"cursor"}},
  },
  offers: {
    create: {"method":"POST","path":"/v1/offers","body":true},
    list: {"method":"GET","path":"/v1/offers","query":["limit","cursor","status"],"pages":{"items":"offers","cursor":"cursor"}},
    get: {"method":"GET","path":"/v1/offers/{id}"},
    accept: {"method":"POST","path":"/v1/offers/{id}/accept"},
    counter: {"method":"POST","path":"/v1/offers/{id}/counter","body":true},
    decline: {"method":"POST","path":"/v1/offers/{id}/decline"},
  },
  orders: {
    create: {"method":"POST","path":"/v1/orders","body":true,"keyed":true},
    list: {"method":"GET","path":"/v1/orders","query":["limit","cursor","from","to","status","domain"],"pages":{"items":"orders","cursor":"cursor"}},
    get: {"method":"GET","path":"/v1/orders/{public_id}","pdf":true},
    advance: {"method":"POST","path":"/v1/sandbox/orders/{public_id}/advance","body":true},
  },
  payouts: {
    list: {"method":"GET","path":"/v1/payouts","query":["limit","cursor","from","to","status"],"csv":true,"pages":{"items":"payouts","cursor":"cursor"}},
    get: {"method":"GET","path":"/v1/payouts/{id}","pdf":true},
  },
  pricing: {
    get: {"method":"GET","path":"/v1/pricing","query":["domain"]},
  },
  quotes: {
    create: {"method":"POST","path":"/v1/quotes","body":true},
    release: {"method":"DELETE","path":"/v1/quotes/{quote_id}"},
  },
  referralPayouts: {
    list: {"method":"GET","path":"/v1/me/payouts","query":["limit","cursor","from","to","currency"],"pages":{"items":"payouts","cursor":"cursor"}},
  },
  refunds: {
    create: {"method":"POST","path":"/v1/refunds","body":true},
  },
  registrants: {
    set: {"method":"PUT","path":"/v1/orders/{public_id}/registrant","body":true},
  },
  replays: {
    get: {"method":"GET","path":"/v1/webhooks/replays/{id}"},
    cancel: {"method":"POST","path":"/v1/webhooks/replays/{id}/cancel"},
  },
  sales: {
    list: {"method":"GET","path":"/v1/me/sales","query":["limit","cursor","from","to","status","link_id"],"pages":{"items":"sales","cursor":"cursor"}},
  },
  sandboxClocks: {
    get: {"method":"GET","path":"/v1/sandbox/clock"},
    advance: {"method":"POST","path":"/v1/sandbox/clock/advance","body":true},
  },
  settlements: {
    list: {"method":"GET","path":"/v1/settlements","query":["limit","cursor","from","to","status"],"pages":{"items":"settlements","cursor":"cursor"}},
    get: {"method":"GET","path":"/v1/settlements/{id}","query":["limit","cursor"],"csv":true,"pdf":true,"pages":{"items":"lines","cursor":"cursor"}},
  },
  transactions: {
    list: {"method":"GET","path":"/v1/transactions","query":["limit","cursor","from","to","status","payment_model"],"csv":true,"pages":{"items":"transactions","cursor":"cursor"}},
  },
  webhookEndpoints: {
    create: {"method":"POST","path":"/v1/webhooks/endpoints","body":true},
    list: {"method":"GET","path":"/v1/webhooks/endpoints","query":["limit","cursor"],"pages":{"items":"endpoints","cursor":"cursor"}},
    retrieve: {"method":"GET","path":"/v1/webhooks/endpoints/{id}"},
    update: {"method":"PATCH","path":"/v1/webhooks/endpoints/{id}","body":true},
    delete: {"method":"DELETE","path":"/v1/webhooks/endpoints/{id}"},
    rotateSecret: {"method":"POST","path":"/v1/webhooks/endpoints/{id}/rotate-secret","body":true},
    sendTest: {"method":"POST","path":"/v1/webhooks/endpoints/{id}/test"},
    replay: {"method":"POST","path":"/v1/webhooks/endpoints/{id}/replay","body":true},
    register: {"method":"PUT","path":"/webhooks","body":true},
    get: {"method":"GET","path":"/v1/webhooks"},
    remove: {"method":"DELETE","path":"/v1/webhooks"},
    test: {"method":"POST","path":"/v1/webhooks/test"},
  },
};

/** What a resource was called before → its name. */
export const FORMER_NAMES = {"endpoints":"webhookEndpoints","sessions":"checkoutSessions"} as const;
