import { Hourglass, Pencil, ShieldCheck, Undo2 } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Badge } from '../../kit/status.tsx';
import { secondFactorText } from '../../text/second-factor.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import { type SettingField, storedValue } from './fields.ts';

interface SettingRowProps {
  readonly field: SettingField;
  readonly onChange: (field: SettingField) => void;
  readonly onTakeBack: (field: SettingField) => void;
}

const TONES = { default: 'neutral', api: 'accent', file: 'neutral' } as const;

/** One setting: its value, its source, and a pending change. */
export function SettingRow({ field, onChange, onTakeBack }: SettingRowProps) {
  const text = useText(settingsText);
  const factorText = useText(secondFactorText);
  const { label, name, setting } = field;
  const isWaiting = setting.after_restart !== undefined;
  return (
    <li className="grid gap-x-4 gap-y-1 border-line border-b py-2.5 last:border-b-0 sm:grid-cols-2 lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_17rem] lg:items-center">
      <div className="min-w-0">
        <p className="break-words font-medium text-sm">{label}</p>
        <code className="break-all font-mono text-soft text-xs">{name}</code>
      </div>
      <div className="min-w-0 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Value value={setting.value} />
          <Badge tone={TONES[setting.source]}>{text.sources[setting.source]}</Badge>
        </p>
        {isWaiting && (
          <p className="mt-1 flex flex-wrap items-center gap-1 text-warn">
            <Hourglass aria-hidden className="size-3.5" />
            {text.afterRestart}{' '}
            {setting.after_restart === null ? text.backToDefault : <Value value={setting.after_restart} />}
          </p>
        )}
        {setting.needs_second_factor && (
          <p className="mt-1 flex items-center gap-1 text-soft text-xs">
            <ShieldCheck aria-hidden className="size-3.5" />
            {factorText.needed}
          </p>
        )}
        {!setting.changeable && (
          <p className="text-soft text-xs">{setting.source === 'file' ? text.inFile : text.onlyFile}</p>
        )}
      </div>
      {setting.changeable && (
        <div className="flex flex-wrap gap-2 lg:justify-end">
          {storedValue(setting) !== undefined && (
            <Button size="small" variant="quiet" icon={Undo2} onClick={() => onTakeBack(field)}>
              {text.takeBack}
            </Button>
          )}
          <Button size="small" icon={Pencil} aria-label={`${text.change}: ${label}`} onClick={() => onChange(field)}>
            {text.change}
          </Button>
        </div>
      )}
    </li>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const text = useText(settingsText);
  const format = useFormat();
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return <span className="text-soft italic">{text.notSet}</span>;
  if (value === '(set)') return <span className="italic">{text.secretSet}</span>;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (typeof value === 'number') return <span className="numbers">{format.number(value)}</span>;
  const shown =
    typeof value === 'string' ? value : Array.isArray(value) ? value.map(shortly).join(', ') : shortly(value);
  return <span className="min-w-0 [overflow-wrap:anywhere]">{shown}</span>;
}

function shortly(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
