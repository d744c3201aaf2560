import { useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import type { Account, Limits } from '../../api/schema.ts';
import { useApi, useChange, useTagged } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading, Meter } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { membersText } from '../../text/members.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { AuditList } from '../shared/audit/audit-list.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { BudgetMeter } from '../shared/usage/budgets.tsx';

export function Page() {
  const text = useText(membersText);
  const pages = useText(shellText).pages;
  const { query, mayOwn } = useScope();
  const account = useTagged('getAccount', { query });
  const limits = useApi('getLimits', { query }, { every: 10_000 });
  return (
    <>
      <PageHeader title={pages.account} description={text.accountAbout} />
      {account.error && <ErrorBox error={account.error} onRetry={() => void account.refetch()} />}
      {account.isPending && <Loading />}
      {account.data && (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <General tagged={account.data} />
          <div className="flex flex-col gap-5">
            <Panel title={text.limits} description={text.limitsAbout}>
              {limits.error && <ErrorBox error={limits.error} onRetry={() => void limits.refetch()} />}
              {limits.data && <LimitsInForce limits={limits.data} />}
            </Panel>
            <Captures account={account.data.value} />
          </div>
          {mayOwn && (
            <div className="lg:col-span-2">
              <Panel title={pages.audit}>
                <AuditList query={query} />
              </Panel>
            </div>
          )}
        </div>
      )}
    </>
  );
}

function General({ tagged }: { readonly tagged: Tagged<Account> }) {
  const text = useText(membersText);
  const { mayOwn } = useScope();
  const { value: account, etag } = tagged;
  return (
    <Panel title={text.general}>
      <div className="flex flex-col gap-5">
        <Definitions
          items={[
            { term: text.id, value: <code className="break-all font-mono">{account.id}</code> },
            ...(mayOwn ? [] : [{ term: text.name, value: account.name }]),
            {
              term: text.state,
              value: <Badge tone={account.state === 'active' ? 'good' : 'neutral'}>{text.states[account.state]}</Badge>,
            },
            { term: text.billing, value: text.billings[account.billing] },
            { term: text.rateRole, value: account.role },
            { term: text.created, value: <Time at={account.created_at} /> },
          ]}
        />
        {mayOwn && <Naming key={etag} tagged={tagged} />}
      </div>
    </Panel>
  );
}

const TOUCHES = ['getAccount', 'getMe', 'listAccounts'] as const;

function Naming({ tagged: { value, etag } }: { readonly tagged: Tagged<Account> }) {
  const text = useText(membersText);
  const { query } = useScope();
  const toast = useToast();
  const update = useChange('updateAccount', { touches: TOUCHES });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: { name: value.name },
    send: async ({ name }) => {
      const change = update.mutateAsync({ query, body: { name }, ifMatch: etag });
      if (await changeOfShown(change, TOUCHES)) toast.done(text.saved);
    },
  });
  return (
    <Form form={form}>
      <Field label={text.name} error={form.errorOf('name')}>
        <TextInput maxLength={200} {...form.register('name')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}

function LimitsInForce({ limits }: { readonly limits: Limits }) {
  const text = useText(membersText);
  const format = useFormat();
  const { requests_per_minute: requests, tokens_per_minute: tokens, max_concurrent: concurrent, budget } = limits;
  const rates = [
    { label: text.requestsPerMinute, rate: requests },
    { label: text.tokensPerMinute, rate: tokens },
  ];
  return (
    <div className="flex flex-col gap-4">
      {rates.map(({ label, rate }) =>
        rate === null ? (
          <Definitions key={label} items={[{ term: label, value: text.noLimit }]} />
        ) : (
          <Meter
            key={label}
            label={label}
            value={rate.used ?? 0}
            max={rate.limit}
            text={text.used(rate.used === null ? '–' : format.number(rate.used), format.number(rate.limit))}
          />
        ),
      )}
      {budget && <BudgetMeter budget={budget} />}
      <Definitions
        items={[
          { term: text.concurrent, value: concurrent === null ? text.noLimit : format.number(concurrent) },
          ...(budget ? [] : [{ term: text.budget, value: text.noLimit }]),
        ]}
      />
    </div>
  );
}

function Captures({ account }: { readonly account: Account }) {
  const text = useText(membersText);
  const { query, mayOwn } = useScope();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const clear = useChange('clearCaptures', { touches: [] });
  return (
    <Panel title={text.capture} description={text.captureAbout[account.capture]}>
      {mayOwn && <Button onClick={() => setAsking(true)}>{text.clearCaptures}</Button>}
      <ConfirmDialog
        title={text.clearTitle}
        body={text.clearText}
        confirmLabel={text.clearCaptures}
        isDanger
        typeToConfirm={account.id}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const { removed } = await clear.mutateAsync({ query });
          toast.done(text.cleared(removed));
        }}
      />
    </Panel>
  );
}
