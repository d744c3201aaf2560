import type { Account } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { accountsText } from '../../text/accounts.ts';
import { useText } from '../../text/text.tsx';
import { EraseDialog } from '../shared/erase-dialog.tsx';
import { ACCOUNT_READS } from './account-values.ts';

interface EraseAccountProps {
  readonly account: Account;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for confirmation to erase an archived account. */
export function EraseAccount({ account: { id, name }, ...dialog }: EraseAccountProps) {
  const text = useText(accountsText);
  const erase = useChange('eraseAccount', { touches: [...ACCOUNT_READS, 'listAudit'] });
  const run = () => erase.mutateAsync({ params: { id } });
  return <EraseDialog text={text} name={name} typeToConfirm={id} erase={run} {...dialog} />;
}
