import { Controller } from 'react-hook-form';
import { RadioCards, Switch } from '../../kit/choice.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { accountsText } from '../../text/accounts.ts';
import { useText } from '../../text/text.tsx';
import { GuardsInput } from '../shared/guards-input.tsx';
import type { BudgetValues } from '../shared/usage/budget-values.ts';
import { CheaperModelFields } from '../shared/usage/cheaper-model-fields.tsx';
import type { AccountValues } from './account-values.ts';

export const ACCOUNT_ROLES = ['User', 'Partner', 'VIP'] as const;
export const BILLINGS = ['prepaid', 'unlimited'] as const;
const PERIODS = ['day', 'week', 'month'] as const;
const STRATEGIES = ['', 'weighted', 'lowest-cost', 'lowest-latency', 'least-busy'] as const;

interface FieldsProps {
  readonly form: ApiForm<AccountValues>;
}

export function BasicFields({ form }: FieldsProps) {
  const text = useText(accountsText);
  const { register, control, errorOf } = form;
  const roles = ACCOUNT_ROLES.map((value) => ({ value, label: value }));
  const billings = BILLINGS.map((value) => ({
    value,
    label: text.billings[value],
    detail: text.billingsAbout[value],
  }));
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.name} help={text.nameHelp} error={errorOf('name')}>
          <TextInput maxLength={200} {...register('name')} />
        </Field>
        <Field label={text.role} help={text.roleHelp} error={errorOf('role')}>
          <Controller name="role" control={control} render={({ field }) => <Select options={roles} {...field} />} />
        </Field>
      </div>
      <Field label={text.billing} error={errorOf('billing')}>
        <Controller
          name="billing"
          control={control}
          render={({ field: { value, onChange } }) => (
            <RadioCards label={text.billing} value={value} onChange={onChange} options={billings} />
          )}
        />
      </Field>
    </>
  );
}

export function LimitFields({ form }: FieldsProps) {
  const text = useText(accountsText);
  const format = useFormat();
  const { register, control, errorOf, watch } = form;
  const hasBudget = watch('budget') !== '';
  const periods = PERIODS.map((value) => ({ value, label: text.periods[value] }));
  const strategies = STRATEGIES.map((value) => ({ value, label: text.strategies[value] }));
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.requestsPerMinute} help={text.requestsHelp} error={errorOf('requests')}>
          <NumberInput isWhole {...register('requests')} />
        </Field>
        <Field label={text.tokensPerMinute} help={text.limitHelp} error={errorOf('tokens')}>
          <NumberInput isWhole {...register('tokens')} />
        </Field>
        <Field label={text.concurrent} help={text.limitHelp} error={errorOf('concurrent')}>
          <NumberInput isWhole {...register('concurrent')} />
        </Field>
        <Field label={text.strategy} error={errorOf('strategy')}>
          <Controller
            name="strategy"
            control={control}
            render={({ field }) => <Select options={strategies} {...field} />}
          />
        </Field>
        <Field label={text.fallbacks} help={text.fallbacksHelp} error={errorOf('fallbacks')}>
          <Controller name="fallbacks" control={control} render={({ field }) => <TagsInput isCode {...field} />} />
        </Field>
        <Field label={text.budget} help={text.budgetHelp} error={errorOf('budget')}>
          <NumberInput prefix="$" {...register('budget')} />
        </Field>
        {hasBudget && (
          <div className="grid gap-4">
            <Field label={text.per} error={errorOf('per')}>
              <Controller
                name="per"
                control={control}
                render={({ field }) => <Select options={periods} {...field} />}
              />
            </Field>
            <Field label={text.timeZone} error={errorOf('timeZone')}>
              <TextInput isCode placeholder={format.timeZone} {...register('timeZone')} />
            </Field>
            <CheaperModelFields form={form as unknown as ApiForm<BudgetValues>} />
          </div>
        )}
      </div>
      <Field label={text.guards} help={text.guardsHelp} error={errorOf('guards')}>
        <Controller name="guards" control={control} render={({ field }) => <GuardsInput {...field} />} />
      </Field>
      <Switch label={text.capture} detail={text.captureHelp} {...register('capture')} />
      <Field label={text.captureDays} help={text.captureDaysHelp} error={errorOf('captureDays')}>
        <NumberInput isWhole {...register('captureDays')} />
      </Field>
    </>
  );
}
