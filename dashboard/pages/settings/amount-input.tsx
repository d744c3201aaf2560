import { Controller } from 'react-hook-form';
import { Field, NumberInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import type { SettingValues } from './fields.ts';
import { useAmount } from './setting-value.tsx';
import { type Measure, storedCount, type UnitName } from './units.ts';

interface AmountInputProps {
  readonly measure: Measure;
  readonly form: ApiForm<SettingValues>;
}

/** A number with its unit, and what is stored, in which the gateway's errors are. */
export function AmountInput({ measure, form }: AmountInputProps) {
  const text = useText(settingsText);
  const amount = useAmount();
  const { value, unit } = form.watch();
  const count = value.trim() === '' ? Number.NaN : Number(value);
  const isOther = unit !== '' && unit !== measure.stored && Number.isFinite(count);
  const stored = isOther ? text.storedAs(amount(storedCount({ count, unit }, measure), measure.stored)) : undefined;
  const options = measure.units.map((one) => ({ value: one, label: text.units[one] }));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,10rem)] items-start gap-2">
      <Field label={text.value} error={form.errorOf('value')} {...(stored !== undefined && { help: stored })}>
        <NumberInput {...form.register('value')} />
      </Field>
      <Field label={text.unit}>
        <Controller
          name="unit"
          control={form.control}
          render={({ field }) => (
            <Select<UnitName> {...field} value={field.value === '' ? undefined : field.value} options={options} />
          )}
        />
      </Field>
    </div>
  );
}
