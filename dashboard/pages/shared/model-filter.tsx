import { useWhole } from '../../api/use-api.ts';
import { Combobox } from '../../kit/select.tsx';
import { useScope } from '../../shell/scope.tsx';

interface ModelFilterProps {
  readonly label: string;
  /** Shown while no model is chosen. */
  readonly anyModel: string;
  /** `''` for any model. */
  readonly value: string;
  readonly onChange: (model: string) => void;
}

/** Chooses a model for a list, also one that no longer exists. */
export function ModelFilter({ label, anyModel, value, onChange }: ModelFilterProps) {
  const { query } = useScope();
  const models = useWhole('listManagedModels', { query });
  return (
    <Combobox
      className="w-56 max-sm:w-full"
      label={label}
      placeholder={anyModel}
      value={value === '' ? undefined : value}
      onChange={(model) => onChange(model ?? '')}
      options={(models.data ?? []).map(({ id }) => ({ value: id, label: id }))}
      isFree
    />
  );
}
