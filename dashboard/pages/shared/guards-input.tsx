import type { RefCallback } from 'react';
import { useWhole } from '../../api/use-api.ts';
import { MultiSelect } from '../../kit/select.tsx';
import { useScope } from '../../shell/scope.tsx';

interface GuardsInputProps {
  readonly value: readonly string[];
  readonly onChange: (guards: string[]) => void;
  readonly onBlur?: () => void;
  readonly ref?: RefCallback<HTMLElement>;
}

/** A choice of guards, also of those that no longer exist. */
export function GuardsInput(props: GuardsInputProps) {
  const { query } = useScope();
  const guards = useWhole('listGuards', { query });
  const options = (guards.data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
    ...(name !== id && { detail: id }),
  }));
  return <MultiSelect {...props} options={options} />;
}
