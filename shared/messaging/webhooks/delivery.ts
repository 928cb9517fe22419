/** The statuses of a delivery; a `pending` one is waiting or being sent. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One request to the endpoint, as stored in the attempt log. */
export interface Attempt {
  attempt: number;
  startedAt: Date;
  elapsedMs: number;
  statusCode: number | null;
  /** `delivered`, or why the attempt failed. */
  outcome: string;
  /** The failure in words, when there was no response. */
  detail: string | null;
  /**
   * The headers that were sent, without the values of the partner's custom headers; null if nothing could be sent.
   */
  requestHeaders: Readonly<Record<string, string>> | null;
  /** Null if there was no response. */
  responseHeaders: Readonly<Record<string, string>> | null;
  /** The first 4 kB of the response. */
  responseBody: string | null;
}

export interface Delivery {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** The id of the event's subject. */
  subject: string | null;
  status: DeliveryStatus;
  attempts: Attempt[];
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
  resendOf: string | null;
  /** The replay that created the delivery. */
  replayId: string | null;
}
