import { useFormat } from '../../kit/format.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import type { SettingField } from './fields.ts';
import { readable, type UnitName } from './units.ts';

const INTL_UNITS: Readonly<Record<UnitName, string>> = {
  ms: 'millisecond',
  seconds: 'second',
  minutes: 'minute',
  hours: 'hour',
  days: 'day',
  bytes: 'byte',
  kb: 'kilobyte',
  mb: 'megabyte',
  gb: 'gigabyte',
};

/** Returns a function that formats an amount in one unit: `10 minutes`, `50 MB`. */
export function useAmount(): (count: number, unit: UnitName) => string {
  const format = useFormat();
  return (count, unit) => format.inUnit(count, INTL_UNITS[unit]);
}

interface SettingValueProps {
  readonly field: Pick<SettingField, 'control'>;
  readonly value: unknown;
}

/** A value in the units in which people read it; the stored number is its title. */
export function SettingValue({ field: { control }, value }: SettingValueProps) {
  const text = useText(settingsText);
  const format = useFormat();
  const amount = useAmount();
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return <span className="text-soft italic">{text.notSet}</span>;
  if (value === '(set)') return <span className="italic">{text.secretSet}</span>;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (typeof value === 'number') {
    if (control.kind === 'number' && control.measure !== null) {
      const { count, unit } = readable(value, control.measure);
      return (
        <span className="numbers" title={amount(value, control.measure.stored)}>
          {amount(count, unit)}
        </span>
      );
    }
    const unit = control.kind === 'number' && control.unit === '%' ? '%' : '';
    return <span className="numbers">{format.number(value) + unit}</span>;
  }
  if (control.kind === 'number' && control.prefix === '$') return format.exactMoney(String(value));
  if (control.kind === 'color' && typeof value === 'string') {
    return (
      <span className="inline-flex items-center gap-2">
        <Swatch color={value} />
        <code className="font-mono text-sm">{value.toLowerCase()}</code>
      </span>
    );
  }
  // The last of a logo's facts only tells it from another one of the same size.
  if (control.kind === 'logo' && typeof value === 'string') return value.split(', ').slice(0, 3).join(', ');
  const shown =
    typeof value === 'string' ? value : Array.isArray(value) ? value.map(shortly).join(', ') : shortly(value);
  const choice = control.kind === 'choice' ? text.choices[shown] : undefined;
  return <span className="min-w-0 [overflow-wrap:anywhere]">{choice ?? shown}</span>;
}

export function Swatch({ color }: { readonly color: string }) {
  return (
    <span
      aria-hidden
      className="size-4 shrink-0 rounded-sm border border-strong-line"
      style={{ backgroundColor: color }}
    />
  );
}

function shortly(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
