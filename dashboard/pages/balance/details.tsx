import type { Tagged } from '../../api/client.ts';
import type { Account, BillingDetails } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { billingDetailsText } from '../../text/billing-details.ts';
import { useText } from '../../text/text.tsx';
import { BILLING_FIELD_OF, BillingFields, billingBodyOf, billingValuesOf } from '../shared/billing-details.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { ManagedNotice } from '../shared/credentials/parts.tsx';

const READS = ['getAccount', 'getAccountById', 'getStatement', 'listAccounts'] as const;

/** The details of the account on its statements, for its owners to change. */
export function Details() {
  const text = useText(billingDetailsText);
  const { query, mayOwn } = useScope();
  const account = useTagged('getAccount', { query });
  const { data } = account;
  const isChangeable = mayOwn && data?.value.managed_by === 'api';
  return (
    <div className="max-w-2xl">
      {account.error && <ErrorBox error={account.error} onRetry={() => void account.refetch()} />}
      {account.isPending && <Loading />}
      {data && (
        <Panel title={text.title} description={mayOwn ? text.about : `${text.about} ${text.ownersOnly}`}>
          {isChangeable ? (
            <Changing key={data.etag} tagged={data} />
          ) : (
            <div className="flex flex-col gap-3">
              {mayOwn && <ManagedNotice by={data.value.managed_by} />}
              <Facts details={data.value.billing_details} />
            </div>
          )}
        </Panel>
      )}
    </div>
  );
}

function Changing({ tagged: { value, etag } }: { readonly tagged: Tagged<Account> }) {
  const text = useText(billingDetailsText);
  const { query } = useScope();
  const toast = useToast();
  const update = useChange('updateAccount', { touches: READS });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: billingValuesOf(value.billing_details),
    fieldOf: BILLING_FIELD_OF,
    send: async (values) => {
      const body = { billing_details: billingBodyOf(values) };
      const change = update.mutateAsync({ query, body, ifMatch: etag });
      if (await changeOfShown(change, READS)) toast.done(text.saved);
    },
  });
  return (
    <Form form={form}>
      <BillingFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}

function Facts({ details }: { readonly details: BillingDetails | null }) {
  const text = useText(billingDetailsText);
  const shown = (value: string | null | undefined) => value || <span className="text-soft">{text.none}</span>;
  return (
    <Definitions
      items={[
        { term: text.name, value: shown(details?.name) },
        {
          term: text.address,
          value: <span className="whitespace-pre-line">{shown(details?.address.join('\n'))}</span>,
        },
        { term: text.taxId, value: shown(details?.tax_id) },
        { term: text.email, value: shown(details?.email) },
      ]}
    />
  );
}
