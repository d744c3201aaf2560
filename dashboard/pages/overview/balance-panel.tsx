import { useApi } from '../../api/use-api.ts';
import { TextLink } from '../../kit/button.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { Panel } from '../../kit/panel.tsx';
import { ErrorBox, Skeleton } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { BudgetMeter } from '../shared/usage/budgets.tsx';

const EVERY_MS = 30_000;

/** The amount that is left to spend. */
export function BalancePanel() {
  const text = useText(usageText);
  const { query, base } = useScope();
  const balance = useApi('getBalance', { query }, { every: EVERY_MS });
  const limits = useApi('getLimits', { query }, { every: EVERY_MS });
  const error = balance.error ?? limits.error;
  const retry = () => {
    void balance.refetch();
    void limits.refetch();
  };
  return (
    <Panel title={text.balance} actions={<TextLink to={`${base}/balance`}>{text.toBalance}</TextLink>}>
      {error && <ErrorBox error={error} onRetry={retry} />}
      {!error && (balance.data === undefined || limits.data === undefined) && <Skeleton className="h-20 w-full" />}
      {balance.data && limits.data && (
        <div className="flex flex-col gap-3">
          <Free
            free={balance.data.free_usd}
            held={balance.data.held_usd}
            isUnlimited={limits.data.billing === 'unlimited'}
          />
          {limits.data.budget ? (
            <BudgetMeter budget={limits.data.budget} />
          ) : (
            <p className="text-soft text-sm">{text.noBudget}</p>
          )}
        </div>
      )}
    </Panel>
  );
}

interface FreeProps {
  readonly free: string;
  readonly held: string;
  readonly isUnlimited: boolean;
}

function Free({ free, held, isUnlimited }: FreeProps) {
  const text = useText(usageText);
  const format = useFormat();
  return (
    <div>
      <p className="text-soft text-sm">{text.free}</p>
      <p className="font-semibold text-xl">
        <Money usd={free} />
      </p>
      {Number(held) > 0 && <p className="text-soft text-xs">{text.held(format.money(held))}</p>}
      {isUnlimited && <p className="text-soft text-xs">{text.unlimited}</p>}
    </div>
  );
}
