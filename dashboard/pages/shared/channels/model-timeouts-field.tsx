import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Field, NumberInput } from '../../../kit/field.tsx';
import { Combobox } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm } from './form-values.ts';
import { isSeconds, type ModelTimeouts, NO_TIMEOUTS, TIMEOUTS } from './form-values.ts';

/** The timeouts of single models; an empty one is that of the channel. */
export function ModelTimeoutsField({ form }: { readonly form: ChannelForm }) {
  const text = useText(channelFormText);
  const rows = form.watch('model_timeouts');
  const served = form.watch('models').map(({ id }) => id);
  form.register('model_timeouts', { validate: (all) => problemOf(all, text) ?? true });
  const change = (next: ModelTimeouts[]) => {
    form.setValue('model_timeouts', next, { shouldDirty: true });
    form.clearErrors('model_timeouts');
  };
  const set = (at: number, row: ModelTimeouts) => change(rows.toSpliced(at, 1, row));
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-sm">{text.modelTimeouts}</legend>
      <p className="text-soft text-xs">{text.modelTimeoutsHelp}</p>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while its model is chosen
        <div key={at} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
          <ModelPicker
            model={row.model}
            served={served}
            onChange={(model) => set(at, { ...row, model })}
            onRemove={() => change(rows.toSpliced(at, 1))}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            {TIMEOUTS.map((name) => (
              <Field key={name} label={text.timeout[name]}>
                <NumberInput
                  unit="s"
                  placeholder={text.ofChannel}
                  value={row.timeouts[name]}
                  onChange={(event) =>
                    set(at, { ...row, timeouts: { ...row.timeouts, [name]: event.currentTarget.value } })
                  }
                />
              </Field>
            ))}
          </div>
        </div>
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() => change([...rows, { model: '', timeouts: NO_TIMEOUTS }])}
      >
        {text.addModelTimeouts}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {form.errorOf('model_timeouts')}
      </p>
    </fieldset>
  );
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

type Words = (typeof channelFormText)['en'];

function problemOf(rows: readonly ModelTimeouts[], text: Words): string | undefined {
  const models = rows.map(({ model }) => model.trim());
  if (models.includes('')) return text.chooseModel;
  const twice = models.find((model, at) => models.indexOf(model) !== at);
  if (twice !== undefined) return text.modelTwice(twice);
  const isRight = rows.every(({ timeouts }) => TIMEOUTS.every((name) => isSeconds(name, timeouts[name])));
  return isRight ? undefined : text.noSeconds('0.001', '86400');
}
