import { useState } from 'react';
import { ApiError, newIdempotencyKey } from '../../api/client.ts';
import type { Account } from '../../api/schema.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { sumOfDecimals } from '../../kit/decimal.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { useToast } from '../../kit/toast.tsx';
import { accountsText } from '../../text/accounts.ts';
import { useText } from '../../text/text.tsx';
import { ACCOUNT_READS } from './account-values.ts';

export type BalanceDeed = 'grant' | 'adjust';

interface ChangeBalanceProps {
  readonly account: Account;
  /** `null` while closed. */
  readonly deed: BalanceDeed | null;
  readonly onClose: () => void;
}

export function ChangeBalance({ account, deed, onClose }: ChangeBalanceProps) {
  const text = useText(accountsText);
  const isGrant = deed !== 'adjust';
  return (
    <Dialog
      title={isGrant ? text.grantTitle(account.name) : text.adjustTitle(account.name)}
      description={isGrant ? text.grantText : text.adjustText}
      isOpen={deed !== null}
      onClose={onClose}
      isSticky
    >
      <BalanceForm account={account} deed={deed ?? 'grant'} onClose={onClose} />
    </Dialog>
  );
}

const TOUCHES = [...ACCOUNT_READS, 'listLedger', 'getStatement', 'listAudit'] as const;

function BalanceForm({ account, deed, onClose }: ChangeBalanceProps) {
  const text = useText(accountsText);
  const format = useFormat();
  const toast = useToast();
  const query = { account_id: account.id };
  const balance = useApi('getBalance', { query }, { every: 5_000 });
  // Makes repeated sends take effect once; after a refusal other values may be sent.
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey);
  const grant = useChange('grantBalance', { touches: TOUCHES });
  const adjust = useChange('adjustBalance', { touches: TOUCHES });
  const form = useApiForm<{ usd: string; note: string }>({
    defaultValues: { usd: '', note: '' },
    send: async (values) => {
      const body = { usd: values.usd.trim().replace(/^\+/, ''), note: values.note.trim() };
      const change = (deed === 'grant' ? grant : adjust).mutateAsync({ query, body, idempotencyKey });
      const { changed_usd, balance_usd } = await change.catch((error: unknown) => {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500)
          setIdempotencyKey(newIdempotencyKey());
        throw error;
      });
      toast.done(text.changedBalance(format.exactMoney(changed_usd), format.exactMoney(balance_usd)));
      onClose();
    },
  });
  const check = (usd: string) => {
    if (sumOfDecimals(usd, '0') === undefined) return text.badAmount;
    if (sumOfDecimals(usd, '0') === '0') return text.notZero;
    return deed === 'grant' && usd.trim().startsWith('-') ? text.positive : true;
  };
  const before = balance.data?.balance_usd ?? account.balance_usd;
  const after = sumOfDecimals(before, form.watch('usd'));
  return (
    <Form form={form}>
      <Field
        label={text.amount}
        help={deed === 'grant' ? text.amountHelp : text.adjustHelp}
        error={form.errorOf('usd')}
        isRequired
      >
        <NumberInput prefix="$" {...form.register('usd', { validate: check })} />
      </Field>
      <Field label={text.reason} help={text.reasonHelp} error={form.errorOf('note')} isRequired>
        <TextInput
          maxLength={200}
          {...form.register('note', { validate: (note) => note.trim() !== '' || text.needed })}
        />
      </Field>
      <Definitions
        items={[
          { term: text.before, value: <Money usd={before} isExact /> },
          { term: text.after, value: <Money usd={after} isExact /> },
        ]}
      />
      <FormError error={form.formError} />
      <FormActions submitLabel={deed === 'grant' ? text.grant : text.adjust} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
