import { Controller, type Path } from 'react-hook-form';
import { Field, NumberInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';
import type { GuardValues } from './guard-values.ts';

export type GuardForm = ApiForm<GuardValues>;

interface ChoiceProps {
  readonly form: GuardForm;
  readonly name: Path<GuardValues>;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A choice of one of a few values. */
export function Choice({ form: { control, errorOf }, name, label, options }: ChoiceProps) {
  return (
    <Field label={label} error={errorOf(name)}>
      <Controller
        name={name}
        control={control}
        render={({ field: { value, ...field } }) => <Select options={options} value={String(value)} {...field} />}
      />
    </Field>
  );
}

/** The effects of a check that somebody else decides. */
export function Asked({ form, name }: { readonly form: GuardForm; readonly name: 'moderation' | 'webhook' }) {
  const text = useText(guardsText);
  return (
    <>
      <Choice
        form={form}
        name={`${name}.onFailure`}
        label={text.onFailure}
        options={(['closed', 'open'] as const).map((value) => ({ value, label: text.failureModes[value] }))}
      />
      <Field label={text.timeout} help={text.timeoutHelp} error={form.errorOf(`${name}.timeout`)}>
        <NumberInput isWhole unit="ms" {...form.register(`${name}.timeout`)} />
      </Field>
    </>
  );
}
