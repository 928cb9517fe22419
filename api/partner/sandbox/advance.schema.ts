import { Type } from 'typebox';
import { ORDER_STATUSES } from '../../../shared/orders/order-states.ts';

export const AdvanceInput = Type.Object(
  {
    to: Type.Enum([...ORDER_STATUSES], { description: 'One legal step from the present status.' }),
  },
  { title: 'AdvanceInput', examples: [{ to: 'TRANSFER_IN_PROGRESS' }] },
);
