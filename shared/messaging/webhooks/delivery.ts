/** The status of a delivery; `pending` is still to be sent, or being sent. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One request to the endpoint, as the attempt log keeps it. */
export interface Attempt {
  attempt: number;
  startedAt: Date;
  elapsedMs: number;
  statusCode: number | null;
  /** `delivered`, or why not. */
  outcome: string;
  /** The failure in words, when there was no response. */
  detail: string | null;
  /**
   * The headers that were sent, without the values of the partner's custom headers; null when nothing could be sent.
   */
  requestHeaders: Readonly<Record<string, string>> | null;
  /** Null when there was no answer. */
  responseHeaders: Readonly<Record<string, string>> | null;
  /** The first 4 kB of the answer. */
  responseBody: string | null;
}

export interface Delivery {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** The id of what the event is about. */
  subject: string | null;
  status: DeliveryStatus;
  attempts: Attempt[];
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
  resendOf: string | null;
  /** The replay that made it. */
  replayId: string | null;
}
