import { useScope } from '../../shell/scope.tsx';
import { batchesText } from '../../text/batches.ts';
import { useText } from '../../text/text.tsx';
import { AccountPicker } from '../shared/account-picker.tsx';

interface AccountFilterProps {
  /** `''` for all accounts. */
  readonly value: string;
  readonly onChange: (account: string) => void;
}

/** Chooses one account of all, on the pages of operators. */
export function AccountFilter({ value, onChange }: AccountFilterProps) {
  const text = useText(batchesText);
  const { accountId } = useScope();
  if (accountId !== null) return null;
  return (
    <AccountPicker
      className="w-56 max-sm:w-full"
      label={text.account}
      placeholder={text.anyAccount}
      value={value === '' ? undefined : value}
      onChange={(account) => onChange(account ?? '')}
    />
  );
}
