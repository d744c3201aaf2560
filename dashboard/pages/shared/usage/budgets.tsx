import type { BudgetInForce } from '../../../api/schema.ts';
import { useFormat } from '../../../kit/format.tsx';
import { Meter } from '../../../kit/status.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';

interface BudgetMeterProps {
  readonly budget: BudgetInForce;
  /** The name of the budget's owner; the account's if absent. */
  readonly name?: string;
}

/** Shows how much of a budget is spent, and when it resets. */
export function BudgetMeter({ budget, name }: BudgetMeterProps) {
  const text = useText(usageText);
  const format = useFormat();
  const { usd, per, spent_usd: spent, resets_at: resetsAt, raised_until: raisedUntil } = budget;
  return (
    <div className="min-w-0">
      <Meter
        value={Number(spent)}
        max={Number(usd)}
        label={name === undefined ? text.budgetOf[per] : text.keyBudgetOf[per](name)}
        text={text.spentOf(format.money(spent), format.money(usd))}
      />
      <p className="mt-1 text-soft text-xs">
        <time dateTime={resetsAt} title={format.exactTime(resetsAt)}>
          {text.resets(format.relative(resetsAt))}
        </time>
        {raisedUntil !== null && ` · ${text.raisedUntil(format.exactTime(raisedUntil))}`}
        {budget.then !== undefined && ` · ${text.goesOnWith(budget.then.model)}`}
      </p>
    </div>
  );
}
