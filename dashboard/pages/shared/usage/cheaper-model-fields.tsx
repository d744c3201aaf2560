import { Field, NumberInput, TextInput } from '../../../kit/field.tsx';
import type { ApiForm } from '../../../kit/form.tsx';
import { budgetsText } from '../../../text/budgets.ts';
import { useText } from '../../../text/text.tsx';
import type { BudgetValues } from './budget-values.ts';

/** The model that requests get past a budget, and once there is one, from when and up to which amount. */
export function CheaperModelFields({ form }: { readonly form: ApiForm<BudgetValues> }) {
  const text = useText(budgetsText);
  const { register, errorOf, watch } = form;
  return (
    <>
      <Field label={text.cheaper} help={text.cheaperHelp} error={errorOf('cheaper')}>
        <TextInput isCode {...register('cheaper')} />
      </Field>
      {watch('cheaper').trim() !== '' && (
        <div className="grid grid-cols-2 gap-4">
          <Field label={text.atPercent} help={text.atPercentHelp} error={errorOf('atPercent')}>
            <NumberInput isWhole unit="%" placeholder="100" {...register('atPercent')} />
          </Field>
          <Field label={text.ceiling} help={text.ceilingHelp} error={errorOf('ceiling')}>
            <NumberInput prefix="$" {...register('ceiling')} />
          </Field>
        </div>
      )}
    </>
  );
}
