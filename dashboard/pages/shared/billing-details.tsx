import type { BillingDetails } from '../../api/schema.ts';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { billingDetailsText } from '../../text/billing-details.ts';
import { useText } from '../../text/text.tsx';
import { said } from './written.ts';

/** Billing details in a form: texts, empty if not set. */
export interface BillingValues {
  legalName: string;
  /** One line of the address per line. */
  address: string;
  taxId: string;
  billingEmail: string;
}

export function billingValuesOf(details: BillingDetails | null): BillingValues {
  return {
    legalName: details?.name ?? '',
    address: (details?.address ?? []).join('\n'),
    taxId: details?.tax_id ?? '',
    billingEmail: details?.email ?? '',
  };
}

/** Returns the details for the API; `null` if nothing is set. */
export function billingBodyOf({ legalName, address, taxId, billingEmail }: BillingValues): BillingDetails | null {
  const lines = address
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const details = { name: said(legalName), address: lines, tax_id: said(taxId), email: said(billingEmail) };
  const isEmpty = lines.length === 0 && [details.name, details.tax_id, details.email].every((one) => one === null);
  return isEmpty ? null : details;
}

/** The form's fields for members of the API. */
export const BILLING_FIELD_OF = {
  'billing_details.name': 'legalName',
  'billing_details.address': 'address',
  'billing_details.tax_id': 'taxId',
  'billing_details.email': 'billingEmail',
} as const;

export function BillingFields({ form: { register, errorOf } }: { readonly form: ApiForm<BillingValues> }) {
  const text = useText(billingDetailsText);
  return (
    <>
      <Field label={text.name} error={errorOf('legalName')}>
        <TextInput maxLength={200} autoComplete="organization" {...register('legalName')} />
      </Field>
      <Field label={text.address} help={text.addressHelp} error={errorOf('address')}>
        <TextArea rows={4} maxLength={1_300} {...register('address')} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.taxId} help={text.taxIdHelp} error={errorOf('taxId')}>
          <TextInput maxLength={64} {...register('taxId')} />
        </Field>
        <Field label={text.email} error={errorOf('billingEmail')}>
          <TextInput type="email" maxLength={254} {...register('billingEmail')} />
        </Field>
      </div>
    </>
  );
}
