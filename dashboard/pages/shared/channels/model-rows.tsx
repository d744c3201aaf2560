import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Field } from '../../../kit/field.tsx';
import { Combobox } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';

interface ModelRowsProps<Row extends { readonly model: string }> {
  readonly rows: readonly Row[];
  readonly onChange: (rows: Row[]) => void;
  /** The row that the button adds. */
  readonly empty: Row;
  readonly addLabel: string;
  readonly error: string | undefined;
  /** The models of the channel. */
  readonly served: readonly string[];
  /** Returns the fields of a row beside its model. */
  readonly fields: (row: Row, set: (row: Row) => void) => ReactNode;
}

/** Groups of fields, each for one model of the channel, and the button that adds one. */
export function ModelRows<Row extends { readonly model: string }>(props: ModelRowsProps<Row>) {
  const { rows, onChange, empty, addLabel, error, served, fields } = props;
  const set = (at: number, row: Row) => onChange(rows.toSpliced(at, 1, row));
  return (
    <>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while its model is chosen
        <div key={at} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
          <ModelPicker
            model={row.model}
            served={served}
            onChange={(model) => set(at, { ...row, model })}
            onRemove={() => onChange(rows.toSpliced(at, 1))}
          />
          <div className="grid gap-3 sm:grid-cols-3">{fields(row, (changed) => set(at, changed))}</div>
        </div>
      ))}
      <Button size="small" icon={Plus} className="self-start" onClick={() => onChange([...rows, empty])}>
        {addLabel}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {error}
      </p>
    </>
  );
}

type Words = (typeof channelFormText)['en'];

/** Returns what is wrong with the models of the rows: one is not chosen, or is chosen twice; `undefined` if nothing is. */
export function modelProblem(rows: readonly { readonly model: string }[], text: Words): string | undefined {
  const models = rows.map(({ model }) => model.trim());
  if (models.includes('')) return text.chooseModel;
  const twice = models.find((model, at) => models.indexOf(model) !== at);
  return twice === undefined ? undefined : text.modelTwice(twice);
}

interface ModelPickerProps {
  readonly model: string;
  /** The models of the channel. */
  readonly served: readonly string[];
  readonly onChange: (model: string) => void;
  readonly onRemove: () => void;
}

/** The model that a group of fields is about, and the button that removes the group. */
export function ModelPicker({ model, served, onChange, onRemove }: ModelPickerProps) {
  const text = useText(channelFormText);
  // A model that the channel no longer serves stays visible.
  const known = model === '' || served.includes(model) ? served : [model, ...served];
  return (
    <div className="flex items-end gap-2">
      <Field label={text.model} isRequired className="flex-1">
        <Combobox
          value={model || undefined}
          onChange={(next) => onChange(next ?? '')}
          options={known.map((id) => ({ value: id, label: id }))}
        />
      </Field>
      <IconButton icon={Trash2} label={text.removeName(model)} onClick={onRemove} />
    </div>
  );
}
