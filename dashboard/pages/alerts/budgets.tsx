import { useState } from 'react';
import type { KeyLimits } from '../../api/schema.ts';
import { useApi, useWhole } from '../../api/use-api.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Panel } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Meter } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { BudgetMeter } from '../shared/usage/budgets.tsx';
import { AccountBudgetDialog } from './account-budget.tsx';

const EVERY_MS = 15_000;

/** The budgets of the account and its keys, and how much of them is spent. */
export function Budgets() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <AccountBudget />
      <KeyBudgets />
    </div>
  );
}

function AccountBudget() {
  const text = useText(alertsText);
  const { query, isOperator } = useScope();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useApi('getLimits', { query }, { every: EVERY_MS });
  const change = isOperator && (
    <Button size="small" disabled={data === undefined} onClick={() => setOpen(true)}>
      {text.changeBudget}
    </Button>
  );
  return (
    <Panel title={text.accountBudget} actions={change}>
      {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.budget && <BudgetMeter budget={data.budget} />}
      {data?.budget === null && <p className="text-soft text-sm">{text.noAccountBudget}</p>}
      {!isOperator && <p className="mt-2 text-soft text-xs">{text.operatorsSetIt}</p>}
      {data && <AccountBudgetDialog account={data.account} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function KeyBudgets() {
  const text = useText(alertsText);
  const { query, base } = useScope();
  const keys = useWhole('listKeyLimits', { query }, { every: EVERY_MS });
  const bounded = (keys.data ?? []).filter(({ state, budget, limit_usd: limit }) => {
    return state === 'active' && (budget !== null || limit !== null);
  });
  return (
    <Panel title={text.keyBudgets} actions={<TextLink to={`${base}/keys`}>{text.toKeys}</TextLink>}>
      {keys.error && <ErrorBox error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Loading />}
      {!keys.isPending && !keys.error && bounded.length === 0 && (
        <p className="text-soft text-sm">{text.noKeyBudgets}</p>
      )}
      <ul className="flex flex-col gap-5">
        {bounded.map((limits) => (
          <li key={limits.id} className="flex min-w-0 flex-col gap-2">
            <TextLink
              to={`${base}/keys`}
              search={{ id: limits.id } as never}
              className="w-fit max-w-full truncate text-sm"
            >
              {limits.name}
            </TextLink>
            <KeyMeters limits={limits} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function KeyMeters({ limits: { name, budget, limit_usd: limit, spent_usd: spent } }: { readonly limits: KeyLimits }) {
  const text = useText(alertsText);
  const words = useText(usageText);
  const format = useFormat();
  return (
    <>
      {budget && <BudgetMeter budget={budget} name={name} />}
      {limit !== null && (
        <Meter
          value={Number(spent)}
          max={Number(limit)}
          label={text.limitOf(name)}
          text={words.spentOf(format.money(spent), format.money(limit))}
        />
      )}
    </>
  );
}
