import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { TextInput } from '../../../kit/field.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { KeyValue } from './key-values.ts';

interface KeyValuesFieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly rows: readonly KeyValue[];
  readonly onChange: (rows: KeyValue[]) => void;
}

/** Names and values, for what has no fields of its own. */
export function KeyValuesField({ label, help, error, rows, onChange }: KeyValuesFieldProps) {
  const text = useText(channelFormText);
  const set = (at: number, row: KeyValue) => onChange(rows.toSpliced(at, 1, row));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      {help !== undefined && <p className="text-soft text-xs">{help}</p>}
      {rows.map((row, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while its name is typed
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-center gap-2"
        >
          <TextInput
            isCode
            aria-label={text.keyOf(at + 1)}
            placeholder={text.key}
            value={row.name}
            onChange={(event) => set(at, { ...row, name: event.currentTarget.value })}
          />
          <TextInput
            isCode
            aria-label={text.valueOf(row.name || String(at + 1))}
            placeholder={text.value}
            value={row.value}
            onChange={(event) => set(at, { ...row, value: event.currentTarget.value })}
          />
          <IconButton
            icon={X}
            label={text.removeName(row.name || String(at + 1))}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() => onChange([...rows, { name: '', value: '' }])}
      >
        {text.addKey}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
