import { useMemo } from 'react';
import { Controller } from 'react-hook-form';
import type { CreateKeyRequest, Key } from '../../api/schema.ts';
import { useWhole } from '../../api/use-api.ts';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { fromLocalText, toLocalText } from '../../kit/period.ts';
import { MultiSelect, Select } from '../../kit/select.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { ExpiryField } from '../shared/credentials/expiry-field.tsx';
import { GuardsInput } from '../shared/guards-input.tsx';
import { BUDGET_FIELD_OF, type BudgetValues, budgetBodyOf, budgetValuesOf } from '../shared/usage/budget-values.ts';
import { CheaperModelFields } from '../shared/usage/cheaper-model-fields.tsx';
import { numberSaid, said } from '../shared/written.ts';
import { unmatched } from './model-patterns.ts';

/** A key in its form: texts, empty if not set. */
export interface KeyValues extends BudgetValues {
  name: string;
  limit: string;
  models: string[];
  guards: string[];
  rate: string;
  usageAccess: Key['usage_access'];
  capture: NonNullable<Key['capture']> | '';
  expires: string;
}

export function valuesOf(key: Key | null, ownTimeZone: string): KeyValues {
  return {
    name: key?.name ?? '',
    limit: key?.limit_usd ?? '',
    ...budgetValuesOf(key?.budget ?? null, ownTimeZone),
    models: [...(key?.models ?? [])],
    guards: [...(key?.guards ?? [])],
    rate: key?.requests_per_minute?.toString() ?? '',
    usageAccess: key?.usage_access ?? 'key',
    capture: key?.capture ?? '',
    expires: key?.expires_at == null ? '' : toLocalText(key.expires_at),
  };
}

/** Returns the body for the API; `null` resets a member to its default. */
export function bodyOf(values: KeyValues): Omit<CreateKeyRequest, 'id'> {
  const { name, limit, models, guards, rate, usageAccess, capture, expires } = values;
  return {
    name: said(name),
    limit_usd: said(limit),
    budget: budgetBodyOf(values),
    models: models.length === 0 ? null : models,
    guards,
    requests_per_minute: numberSaid(rate),
    usage_access: usageAccess,
    capture: capture === '' ? null : capture,
    expires_at: expires === '' ? null : (fromLocalText(expires) ?? null),
  };
}

/** The form's fields for members of the API. */
export const FIELD_OF = {
  limit_usd: 'limit',
  ...BUDGET_FIELD_OF,
  requests_per_minute: 'rate',
  usage_access: 'usageAccess',
  expires_at: 'expires',
} as const;

export function KeyFields({ form }: { readonly form: ApiForm<KeyValues> }) {
  const text = useText(credentialsText);
  const { register, errorOf } = form;
  return (
    <>
      <Field label={text.name} help={text.nameHelp} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      <Field label={text.limit} help={text.limitHelp} error={errorOf('limit')}>
        <NumberInput prefix="$" {...register('limit')} />
      </Field>
      <BudgetFields form={form} />
      <ModelsField form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.rate} help={text.rateHelp} error={errorOf('rate')}>
          <NumberInput isWhole {...register('rate')} />
        </Field>
        <ExpiryField
          input={form.register('expires')}
          error={form.errorOf('expires')}
          onPick={(expires) => form.setValue('expires', expires, { shouldDirty: true })}
        />
      </div>
      <UsageAccessField form={form} />
      <CaptureField form={form} />
      <Field label={text.guards} help={text.guardsHelp} error={form.errorOf('guards')}>
        <Controller name="guards" control={form.control} render={({ field }) => <GuardsInput {...field} />} />
      </Field>
    </>
  );
}

function UsageAccessField({ form: { control, errorOf } }: { readonly form: ApiForm<KeyValues> }) {
  const text = useText(credentialsText);
  const options = (['key', 'account', 'none'] as const).map((value) => ({ value, label: text.usageAccessOf[value] }));
  return (
    <Field label={text.usageAccess} help={text.usageAccessHelp} error={errorOf('usageAccess')}>
      <Controller
        name="usageAccess"
        control={control}
        render={({ field }) => <Select options={options} {...field} />}
      />
    </Field>
  );
}

/** Only operators can switch logging on for a key. */
function CaptureField({ form }: { readonly form: ApiForm<KeyValues> }) {
  const { control, errorOf, formState } = form;
  const text = useText(credentialsText);
  const { isOperator } = useScope();
  const isOffered = isOperator || formState.defaultValues?.capture === 'full';
  const values = isOffered ? (['', 'full', 'none'] as const) : (['', 'none'] as const);
  const options = values.map((value) => ({ value, label: text.captureOf[value] }));
  return (
    <Field label={text.capture} help={text.captureHelp} error={errorOf('capture')}>
      <Controller name="capture" control={control} render={({ field }) => <Select options={options} {...field} />} />
    </Field>
  );
}

/** Suggests the account's models, and warns of patterns that match none of them. */
function ModelsField({ form: { control, errorOf, watch } }: { readonly form: ApiForm<KeyValues> }) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const models = useWhole('listManagedModels', { query }, { every: 60_000 });
  const ids = useMemo(() => (models.data ?? []).map(({ id }) => id), [models.data]);
  const options = useMemo(
    () => (models.data ?? []).map(({ id, name }) => ({ value: id, label: id, ...(name !== id && { detail: name }) })),
    [models.data],
  );
  const patterns = watch('models');
  const others = models.data === undefined ? [] : unmatched(patterns, ids);
  return (
    <div className="flex flex-col gap-1">
      <Field label={text.models} help={text.modelsHelp} error={errorOf('models')}>
        <Controller
          name="models"
          control={control}
          render={({ field }) => (
            <MultiSelect isFree options={options} placeholder={text.modelsPlaceholder} {...field} />
          )}
        />
      </Field>
      <p role="status" className="text-warn text-xs [overflow-wrap:anywhere] empty:hidden">
        {others.length > 0 && text.noModelMatches(others.map((one) => `“${one}”`).join(', '))}
      </p>
    </div>
  );
}

function BudgetFields({ form }: { readonly form: ApiForm<KeyValues> }) {
  const text = useText(credentialsText);
  const format = useFormat();
  const { register, control, errorOf, watch } = form;
  const hasBudget = watch('budget') !== '';
  const periods = (['day', 'week', 'month'] as const).map((value) => ({ value, label: text.periods[value] }));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={text.budget} help={text.budgetHelp} error={errorOf('budget')}>
        <NumberInput prefix="$" {...register('budget')} />
      </Field>
      {hasBudget && (
        <Field label={text.per} error={errorOf('per')}>
          <Controller name="per" control={control} render={({ field }) => <Select options={periods} {...field} />} />
        </Field>
      )}
      {hasBudget && (
        <Field label={text.timeZone} error={errorOf('timeZone')} className="sm:col-start-2">
          <TextInput isCode placeholder={format.timeZone} {...register('timeZone')} />
        </Field>
      )}
      {hasBudget && (
        <div className="grid gap-4 sm:col-span-2">
          <CheaperModelFields form={form as unknown as ApiForm<BudgetValues>} />
        </div>
      )}
    </div>
  );
}
