import { TrendingUp } from 'lucide-react';
import { useState } from 'react';
import type { Account, RaiseAccountBudgetRequest } from '../../../api/schema.ts';
import { Button } from '../../../kit/button.tsx';
import { DateTimeInput } from '../../../kit/date.tsx';
import { sumOfDecimals } from '../../../kit/decimal.ts';
import { ConfirmDialog, Dialog } from '../../../kit/dialog.tsx';
import { Field, NumberInput } from '../../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../../kit/form.tsx';
import { Money, useFormat } from '../../../kit/format.tsx';
import { Definitions } from '../../../kit/panel.tsx';
import { fromLocalText, toLocalText } from '../../../kit/period.ts';
import { useToast } from '../../../kit/toast.tsx';
import { budgetsText } from '../../../text/budgets.ts';
import { useText } from '../../../text/text.tsx';

type Raise = NonNullable<Account['budget_raise']>;

interface RaiseBudgetProps {
  /** The account or key whose budget it is. */
  readonly holder: Pick<Account, 'name' | 'budget' | 'budget_raise'>;
  /** Sends a raise; resolves to the account or key. */
  readonly raise: (body: RaiseAccountBudgetRequest) => Promise<Pick<Account, 'budget_raise'>>;
  /** Ends the raise in force. */
  readonly end: () => Promise<unknown>;
}

/** Raises a budget for a limited time, and ends a raise. Shows nothing without a budget. For persons who may set the budget. */
export function RaiseBudget({ holder: { name, budget, budget_raise: inForce }, raise, end }: RaiseBudgetProps) {
  const text = useText(budgetsText);
  const format = useFormat();
  const toast = useToast();
  const [isRaising, setRaising] = useState(false);
  const [isEnding, setEnding] = useState(false);
  if (budget === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="small" icon={TrendingUp} onClick={() => setRaising(true)}>
        {text.raise}
      </Button>
      {inForce && (
        <>
          <Button size="small" onClick={() => setEnding(true)}>
            {text.endRaise}
          </Button>
          <p className="text-sm text-soft">
            {text.inForce(format.exactMoney(inForce.to_usd), format.exactTime(inForce.until))}
          </p>
        </>
      )}
      <Dialog
        title={text.raiseTitle(name)}
        description={text.raiseText}
        isOpen={isRaising}
        onClose={() => setRaising(false)}
        isSticky
      >
        <RaiseForm usual={budget.usd} raise={raise} onClose={() => setRaising(false)} />
      </Dialog>
      <ConfirmDialog
        title={text.endTitle}
        body={text.endText(format.exactMoney(budget.usd))}
        confirmLabel={text.endRaise}
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        onConfirm={async () => {
          await end();
          toast.done(text.ended);
        }}
      />
    </div>
  );
}

const DAY_MS = 86_400_000;
const PRESETS = ['1', '3', '7', '30'] as const;

function inDays(days: string): string {
  return toLocalText(new Date(Date.now() + Number(days) * DAY_MS).toISOString());
}

interface RaiseFormProps extends Pick<RaiseBudgetProps, 'raise'> {
  /** The amount of the budget itself. */
  readonly usual: string;
  readonly onClose: () => void;
}

function RaiseForm({ usual, raise, onClose }: RaiseFormProps) {
  const text = useText(budgetsText);
  const format = useFormat();
  const toast = useToast();
  const told = ({ to_usd: to, until }: Raise) => text.wasRaised(format.exactMoney(to), format.exactTime(until));
  const form = useApiForm({
    defaultValues: { usd: '', until: inDays('3') },
    send: async ({ usd, until }) => {
      const { budget_raise: raised } = await raise({ usd: usd.trim(), until: fromLocalText(until) ?? until });
      if (raised) toast.done(told(raised));
      onClose();
    },
  });
  return (
    <Form form={form}>
      <Field label={text.raiseBy} help={text.raiseByHelp} error={form.errorOf('usd')} isRequired>
        <NumberInput prefix="$" {...form.register('usd')} />
      </Field>
      <div className="flex min-w-0 flex-col gap-1.5">
        <Field label={text.until} help={text.untilHelp} error={form.errorOf('until')} isRequired>
          <DateTimeInput {...form.register('until')} />
        </Field>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">{text.lasting}</legend>
          {PRESETS.map((days) => (
            <Button
              key={days}
              size="small"
              onClick={() => form.setValue('until', inDays(days), { shouldDirty: true, shouldValidate: true })}
            >
              {text.presets[days]}
            </Button>
          ))}
        </fieldset>
      </div>
      <Definitions
        items={[
          { term: text.usual, value: <Money usd={usual} isExact /> },
          { term: text.raised, value: <Money usd={sumOfDecimals(usual, form.watch('usd'))} isExact /> },
        ]}
      />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.raise} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
