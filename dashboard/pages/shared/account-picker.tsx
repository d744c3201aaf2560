import { useDeferredValue, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Combobox, type ComboboxProps, MultiSelect, type MultiSelectProps } from '../../kit/select.tsx';

const FOUND = 20;

/** A choice of any account, for operators; the server searches. */
export function AccountPicker(props: Omit<ComboboxProps, 'options' | 'onSearch' | 'isFree'>) {
  const { options, onSearch } = useAccountSearch();
  return <Combobox {...props} options={options} onSearch={onSearch} />;
}

interface AccountsPickerProps extends Omit<MultiSelectProps, 'options' | 'onSearch' | 'isFree'> {
  /** The names of chosen accounts, by id, which the search may not have found. */
  readonly known?: ReadonlyMap<string, string> | undefined;
}

/** A choice of several accounts, for operators. */
export function AccountsPicker({ known = NONE, ...props }: AccountsPickerProps) {
  const { options, onSearch } = useAccountSearch();
  const [seen, setSeen] = useState(known);
  const labelled = props.value
    .filter((id) => !options.some(({ value }) => value === id))
    .map((id) => ({ value: id, label: seen.get(id) ?? id, detail: id }));
  const onChange = (next: string[]) => {
    const names = options
      .filter(({ value }) => next.includes(value))
      .map(({ value, label }) => [value, label] as const);
    setSeen(new Map([...seen, ...names]));
    props.onChange(next);
  };
  return <MultiSelect {...props} onChange={onChange} options={[...labelled, ...options]} onSearch={onSearch} />;
}

const NONE: ReadonlyMap<string, string> = new Map();

function useAccountSearch() {
  const [typed, setTyped] = useState('');
  const q = useDeferredValue(typed.trim());
  const query = { limit: FOUND, ...(q !== '' && { q }) };
  const found = useApi('listAccounts', { query }, { keepPrevious: true });
  const options = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name, detail: id }));
  return { options, onSearch: setTyped };
}
