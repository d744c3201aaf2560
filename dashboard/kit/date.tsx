import { type ComponentProps, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button } from './button.tsx';
import { Field, TextInput } from './field.tsx';
import { fromLocalText, PERIOD_PRESETS, type Period, type PeriodPreset, rangeOf, toLocalText } from './period.ts';
import { Select } from './select.tsx';

/** Takes a local time without a zone; `toLocalText` and `fromLocalText` convert it. */
export function DateTimeInput(props: ComponentProps<'input'>) {
  return <TextInput {...props} type="datetime-local" />;
}

export interface PeriodPickerProps {
  readonly value: Period;
  readonly onChange: (period: Period) => void;
  readonly presets?: readonly PeriodPreset[];
}

/** Selects the period that a page shows. `rangeOf` returns its ends. */
export function PeriodPicker({ value, onChange, presets = PERIOD_PRESETS }: PeriodPickerProps) {
  const text = useText(kitText);
  const [isCustom, setIsCustom] = useState(!('preset' in value));
  const choose = (next: PeriodPreset | 'custom') => {
    setIsCustom(next === 'custom');
    if (next !== 'custom') onChange({ preset: next });
  };
  const options = [...presets.map((preset) => ({ value: preset, label: text.periods[preset] })), CUSTOM(text.custom)];
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="w-44">
        <Select
          label={text.period}
          value={isCustom || !('preset' in value) ? 'custom' : value.preset}
          onChange={choose}
          options={options}
        />
      </div>
      {isCustom && <CustomRange value={value} onChange={onChange} />}
    </div>
  );
}

const CUSTOM = (label: string) => ({ value: 'custom' as const, label });

function CustomRange({ value, onChange }: Pick<PeriodPickerProps, 'value' | 'onChange'>) {
  const text = useText(kitText);
  const [first] = useState(() => rangeOf(value));
  const [from, setFrom] = useState(toLocalText(first.from));
  const [to, setTo] = useState(toLocalText(first.to));
  const range = { from: fromLocalText(from), to: fromLocalText(to) };
  const isBackwards = range.from !== undefined && range.to !== undefined && range.from >= range.to;
  const apply = () => {
    if (range.from !== undefined && range.to !== undefined) onChange({ from: range.from, to: range.to });
  };
  return (
    <form
      className="flex flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        apply();
      }}
    >
      <Field label={text.from} isLabelHidden>
        <DateTimeInput value={from} max={to} onChange={(event) => setFrom(event.currentTarget.value)} />
      </Field>
      <Field label={text.to} isLabelHidden error={isBackwards && text.periodBackwards}>
        <DateTimeInput value={to} onChange={(event) => setTo(event.currentTarget.value)} />
      </Field>
      <Button type="submit" disabled={isBackwards || range.from === undefined || range.to === undefined}>
        {text.apply}
      </Button>
    </form>
  );
}
