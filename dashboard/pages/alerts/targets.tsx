import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { AlertWebhook } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge, Empty, Notice } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { SecretDialog, type ShownSecret } from '../shared/credentials/parts.tsx';
import type { AddressWarning } from './address-warning.ts';
import { NewTarget } from './new-target.tsx';
import { addressKey, useMayChange } from './place.ts';
import { TargetSheet } from './target-sheet.tsx';

/** The targets of alerts. */
export function Targets() {
  const text = useText(alertsText);
  const { query, accountId } = useScope();
  const { values, set } = useSearchState(['id']);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const [warning, setWarning] = useState<AddressWarning | null>(null);
  const mayChange = useMayChange()(accountId);
  const targets = useList('listAlertWebhooks', { query }, { every: 30_000 });
  const open = targets.items.find((target) => addressKey(target) === values.id);
  const make = mayChange && (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text.newTarget}
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end empty:hidden">{targets.items.length > 0 && make}</div>
      {warning !== null && (
        <Notice tone="warn" title={warning.name} isLive>
          {warning.text}
        </Notice>
      )}
      <DataTable
        label={text.tabs.targets}
        columns={useColumns()}
        rows={targets}
        keyOf={addressKey}
        onOpen={(target) => set({ id: addressKey(target) }, false)}
        openKey={open && addressKey(open)}
        empty={
          <Empty icon={Webhook} title={text.noTargets} action={make}>
            {text.noTargetsText}
          </Empty>
        }
      />
      <NewTarget isOpen={isMaking} onClose={() => setMaking(false)} onSecret={setSecret} onWarning={setWarning} />
      <TargetSheet
        target={open}
        warning={warning}
        onClose={() => set({ id: '' })}
        onSecret={setSecret}
        onWarning={setWarning}
      />
      <SecretDialog shown={secret} title={text.secretTitle} what={text.theSecret} onClose={() => setSecret(null)} />
    </div>
  );
}

function useColumns(): readonly Column<AlertWebhook>[] {
  const text = useText(alertsText);
  const { accountId } = useScope();
  const ofAccount: Column<AlertWebhook> = {
    ...{ id: 'account', title: text.account, from: 'md' },
    cell: ({ account, account_name: name }) =>
      account === null ? <Badge tone="accent">{text.operators}</Badge> : <Named name={name} id={account} />,
  };
  return [
    { id: 'name', title: text.name, cell: ({ name }) => name },
    ...(accountId === null ? [ofAccount] : []),
    {
      ...{ id: 'address', title: text.address, width: 'minmax(8rem, 2fr)', from: 'sm' },
      cell: ({ url_preview, mail }) => url_preview ?? mail,
    },
    { id: 'state', title: text.state, width: '7rem', cell: (target) => <TargetState target={target} /> },
  ];
}

function TargetState({ target }: { readonly target: AlertWebhook }) {
  const text = useText(alertsText);
  if (target.disabled_at !== null) return <Badge tone="bad">{text.givenUp}</Badge>;
  if (!target.enabled) return <Badge>{text.disabled}</Badge>;
  if (target.failing_since !== null) return <Badge tone="warn">{text.failing}</Badge>;
  return <Badge tone="good">{text.enabled}</Badge>;
}
