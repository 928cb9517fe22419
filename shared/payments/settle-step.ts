import type { Runtime } from '../runtime.ts';
import type { PaymentState } from './payment-provider.ts';

/** What the feature above makes of a step: it records the step and what follows from it, in one transaction. */
export type ApplyPaymentState = (
  runtime: Pick<Runtime, 'db' | 'clock' | 'config'>,
  paymentId: string,
  step: PaymentState,
) => Promise<unknown>;
