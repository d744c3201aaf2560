import type { Tagged } from '../../api/client.ts';
import type { Account } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { useToast } from '../../kit/toast.tsx';
import { accountsText } from '../../text/accounts.ts';
import { billingDetailsText } from '../../text/billing-details.ts';
import { useText } from '../../text/text.tsx';
import { BillingFields, type BillingValues } from '../shared/billing-details.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { BasicFields, LimitFields } from './account-fields.tsx';
import { ACCOUNT_READS, bodyOf, FIELD_OF, valuesOf } from './account-values.ts';

/** Mounted again for each version of the account. */
export function AccountForm({ tagged: { value: account, etag } }: { readonly tagged: Tagged<Account> }) {
  const text = useText(accountsText);
  const words = useText(billingDetailsText);
  const format = useFormat();
  const toast = useToast();
  const update = useChange('updateAccountById', { touches: [...ACCOUNT_READS, 'listAudit'] });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: valuesOf(account, format.timeZone),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const change = update.mutateAsync({ params: { id: account.id }, body: bodyOf(values), ifMatch: etag });
      if (await changeOfShown(change, ACCOUNT_READS)) toast.done(text.saved);
    },
  });
  const billing = form as unknown as ApiForm<BillingValues>; // The form's fields include these.
  return (
    <Form form={form}>
      <BasicFields form={form} />
      <LimitFields form={form} />
      <Disclosure title={words.title}>
        <div className="flex flex-col gap-4">
          <BillingFields form={billing} />
        </div>
      </Disclosure>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}
