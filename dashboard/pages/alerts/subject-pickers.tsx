import { useApi } from '../../api/use-api.ts';
import { Combobox, type ComboboxProps } from '../../kit/select.tsx';
import { placeOf } from './place.ts';

const MOST = 1_000;

interface PickerProps extends Omit<ComboboxProps, 'options' | 'isFree' | 'onSearch' | 'value' | 'onChange'> {
  /** The rule's account; `null` for the operators. */
  readonly account: string | null;
  /** Empty for all. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice of a channel by its name; an id can be typed, too. */
export function ChannelPicker({ account, value, onChange, ...rest }: PickerProps) {
  const found = useApi('listChannels', { query: { ...placeOf(account), limit: MOST } });
  const options = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name, detail: id }));
  return (
    <Combobox
      {...rest}
      isFree
      value={value === '' ? undefined : value}
      onChange={(next) => onChange(next ?? '')}
      options={options}
    />
  );
}

/** A choice of a model. */
export function ModelPicker({ account, value, onChange, ...rest }: PickerProps) {
  const found = useApi('listManagedModels', { query: { ...placeOf(account), limit: MOST } });
  const options = (found.data?.data ?? []).map(({ id }) => ({ value: id, label: id }));
  return (
    <Combobox
      {...rest}
      isFree
      value={value === '' ? undefined : value}
      onChange={(next) => onChange(next ?? '')}
      options={options}
    />
  );
}
