import { Bell, Plus } from 'lucide-react';
import { useState } from 'react';
import type { AlertRule } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { conditionSentence } from './condition.ts';
import { addressKey, useMayChange } from './place.ts';
import { NewRule, RuleSheet } from './rule-sheet.tsx';

export function Rules() {
  const text = useText(alertsText);
  const { query, accountId } = useScope();
  const { values, set } = useSearchState(['id']);
  const [isMaking, setMaking] = useState(false);
  const mayChange = useMayChange()(accountId);
  const rules = useList('listAlertRules', { query });
  const open = rules.items.find((rule) => addressKey(rule) === values.id);
  const make = mayChange && (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text.newRule}
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end empty:hidden">{rules.items.length > 0 && make}</div>
      <DataTable
        label={text.tabs.rules}
        columns={useColumns()}
        rows={rules}
        keyOf={addressKey}
        onOpen={(rule) => set({ id: addressKey(rule) }, false)}
        openKey={open && addressKey(open)}
        empty={
          <Empty icon={Bell} title={text.noRules} action={make}>
            {text.noRulesText}
          </Empty>
        }
      />
      <NewRule isOpen={isMaking} onClose={() => setMaking(false)} />
      <RuleSheet rule={open} onClose={() => set({ id: '' })} />
    </div>
  );
}

function useColumns(): readonly Column<AlertRule>[] {
  const text = useText(alertsText);
  const format = useFormat();
  const { accountId } = useScope();
  const ofAccount: Column<AlertRule> = {
    ...{ id: 'account', title: text.account, from: 'md' },
    cell: ({ account, account_name: name }) =>
      account === null ? <Badge tone="accent">{text.operators}</Badge> : <Named name={name} id={account} />,
  };
  return [
    { id: 'name', title: text.name, cell: ({ name }) => name },
    ...(accountId === null ? [ofAccount] : []),
    {
      ...{ id: 'condition', title: text.condition, width: 'minmax(8rem, 2fr)' },
      cell: (rule) => conditionSentence(rule, text, format),
    },
    {
      ...{ id: 'state', title: text.state, width: '6.5rem', from: 'sm' },
      cell: ({ enabled }) => (enabled ? <Badge tone="good">{text.enabled}</Badge> : <Badge>{text.disabled}</Badge>),
    },
  ];
}
