import { useMemo } from 'react';
import { Field } from '../../kit/field.tsx';
import { Combobox } from '../../kit/select.tsx';
import { playgroundText } from '../../text/playground.ts';
import { useText } from '../../text/text.tsx';
import type { Model } from './models.ts';

interface ModelPickerProps {
  readonly models: readonly Model[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly label?: string;
}

export function ModelPicker({ models, value, onChange, label }: ModelPickerProps) {
  const text = useText(playgroundText);
  const options = useMemo(
    () => models.map(({ id, owner }) => ({ value: id, label: id, ...(owner !== '' && { detail: owner }) })),
    [models],
  );
  return (
    <Field label={label ?? text.model}>
      <Combobox
        value={value === '' ? undefined : value}
        onChange={(id) => id !== undefined && onChange(id)}
        options={options}
        placeholder={text.chooseModel}
      />
    </Field>
  );
}
