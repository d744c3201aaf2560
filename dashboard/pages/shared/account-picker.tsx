import { useDeferredValue, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Combobox, type ComboboxProps } from '../../kit/select.tsx';

const FOUND = 20;

/** A choice of any account, for operators; the server searches. */
export function AccountPicker(props: Omit<ComboboxProps, 'options' | 'onSearch' | 'isFree'>) {
  const [typed, setTyped] = useState('');
  const q = useDeferredValue(typed.trim());
  const query = { limit: FOUND, ...(q !== '' && { q }) };
  const found = useApi('listAccounts', { query }, { keepPrevious: true });
  const options = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name, detail: id }));
  return <Combobox {...props} options={options} onSearch={setTyped} />;
}
