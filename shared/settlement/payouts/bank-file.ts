import { html } from '../../platform/html.ts';
import { decimalAmount, type Money } from '../../platform/money.ts';
import type { PayoutAccount } from './payout-account.ts';

/** The maximum length of an account holder's name in a SEPA payment (EPC217-08). */
export const MAX_BANK_NAME = 70;

/** Returns whether every bank accepts a text (EPC217-08, the Latin character set of SEPA). */
export function isBankText(text: string, most: number): boolean {
  return text.length <= most && /^[A-Za-z0-9/\-?:().,'+ ]*$/.test(text);
}

/** One payment of a file. */
export interface BankPayment {
  /** At most 35 characters; the bank repeats it on the payment and on a return. */
  reference: string;
  amount: Money;
  to: PayoutAccount;
}

/** A request to our bank to send payments of one currency from our account. */
export interface BankFile {
  /** At most 35 characters; a bank rejects a repeated reference. */
  reference: string;
  createdAt: Date;
  from: PayoutAccount;
  payments: readonly BankPayment[];
}

/**
 * Writes the file as XML: a customer credit transfer initiation (ISO 20022, `pain.001.001.09`). In euros it requests a
 * SEPA transfer. A pure function: the same file gives the same bytes.
 */
export function bankFileXml({ reference, createdAt, from, payments }: BankFile): string {
  const [first] = payments;
  if (!first) throw new Error('a bank file needs a payment');
  const total = payments.slice(1).reduce((sum, { amount }) => sum.plus(amount), first.amount);
  const sepa = total.currency === 'EUR';
  const sums = html`<NbOfTxs>${payments.length}</NbOfTxs>
<CtrlSum>${decimalAmount(total)}</CtrlSum>`;
  return html`<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
<CstmrCdtTrfInitn>
<GrpHdr>
<MsgId>${reference}</MsgId>
<CreDtTm>${createdAt.toISOString()}</CreDtTm>
${sums}
<InitgPty><Nm>${from.holder}</Nm></InitgPty>
</GrpHdr>
<PmtInf>
<PmtInfId>${reference}</PmtInfId>
<PmtMtd>TRF</PmtMtd>
${sums}
${sepa && html`<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>\n`}<ReqdExctnDt><Dt>${createdAt.toISOString().slice(0, 10)}</Dt></ReqdExctnDt>
<Dbtr><Nm>${from.holder}</Nm></Dbtr>
<DbtrAcct><Id><IBAN>${from.iban}</IBAN></Id></DbtrAcct>
<DbtrAgt><FinInstnId>${
    from.bic === null ? html`<Othr><Id>NOTPROVIDED</Id></Othr>` : html`<BICFI>${from.bic}</BICFI>`
  }</FinInstnId></DbtrAgt>
<ChrgBr>${sepa ? 'SLEV' : 'SHAR'}</ChrgBr>
${payments.map(paymentXml)}</PmtInf>
</CstmrCdtTrfInitn>
</Document>
`.markup;
}

function paymentXml({ reference, amount, to }: BankPayment) {
  return html`<CdtTrfTxInf>
<PmtId><EndToEndId>${reference}</EndToEndId></PmtId>
<Amt><InstdAmt Ccy="${amount.currency}">${decimalAmount(amount)}</InstdAmt></Amt>
${to.bic !== null && html`<CdtrAgt><FinInstnId><BICFI>${to.bic}</BICFI></FinInstnId></CdtrAgt>\n`}<Cdtr><Nm>${to.holder}</Nm></Cdtr>
<CdtrAcct><Id><IBAN>${to.iban}</IBAN></Id></CdtrAcct>
<RmtInf><Ustrd>${reference}</Ustrd></RmtInf>
</CdtTrfTxInf>
`;
}
