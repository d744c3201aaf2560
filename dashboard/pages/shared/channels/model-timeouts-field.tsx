import { Field, NumberInput } from '../../../kit/field.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm } from './form-values.ts';
import { isSeconds, type ModelTimeouts, NO_TIMEOUTS, TIMEOUTS } from './form-values.ts';
import { ModelRows, modelProblem } from './model-rows.tsx';

/** The timeouts of single models; an empty one is that of the channel. */
export function ModelTimeoutsField({ form }: { readonly form: ChannelForm }) {
  const text = useText(channelFormText);
  form.register('model_timeouts', { validate: (all) => problemOf(all, text) ?? true });
  const change = (next: ModelTimeouts[]) => {
    form.setValue('model_timeouts', next, { shouldDirty: true });
    form.clearErrors('model_timeouts');
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-sm">{text.modelTimeouts}</legend>
      <p className="text-soft text-xs">{text.modelTimeoutsHelp}</p>
      <ModelRows
        rows={form.watch('model_timeouts')}
        onChange={change}
        empty={{ model: '', timeouts: NO_TIMEOUTS }}
        addLabel={text.addModelTimeouts}
        error={form.errorOf('model_timeouts')}
        served={form.watch('models').map(({ id }) => id)}
        fields={(row, set) =>
          TIMEOUTS.map((name) => (
            <Field key={name} label={text.timeout[name]}>
              <NumberInput
                unit="s"
                placeholder={text.ofChannel}
                value={row.timeouts[name]}
                onChange={(event) => set({ ...row, timeouts: { ...row.timeouts, [name]: event.currentTarget.value } })}
              />
            </Field>
          ))
        }
      />
    </fieldset>
  );
}

type Words = (typeof channelFormText)['en'];

function problemOf(rows: readonly ModelTimeouts[], text: Words): string | undefined {
  const isRight = rows.every(({ timeouts }) => TIMEOUTS.every((name) => isSeconds(name, timeouts[name])));
  return modelProblem(rows, text) ?? (isRight ? undefined : text.noSeconds('0.001', '86400'));
}
