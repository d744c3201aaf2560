import type { Account } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { accountsText } from '../../text/accounts.ts';
import { useText } from '../../text/text.tsx';
import { useRecentFactor } from '../shared/recent-factor.tsx';
import { ACCOUNT_READS } from './account-values.ts';

interface EraseAccountProps {
  readonly account: Account;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks whether an archived account is to be erased, and for a second factor where none was used lately. */
export function EraseAccount({ account: { id, name }, isOpen, onClose }: EraseAccountProps) {
  const text = useText(accountsText);
  const toast = useToast();
  const factor = useRecentFactor();
  const erase = useChange('eraseAccount', { touches: [...ACCOUNT_READS, 'listAudit'] });
  const work = async () => {
    const { pseudonym } = await factor.run(() => erase.mutateAsync({ params: { id } }));
    toast.done(text.wasErased(pseudonym ?? ''));
  };
  // The question closes at once, since the second factor may be asked for in a dialog of its own.
  const confirm = async () => void work().catch(toast.failed);
  return (
    <>
      <ConfirmDialog
        title={text.eraseTitle(name)}
        body={text.eraseText}
        confirmLabel={text.erase}
        typeToConfirm={id}
        isDanger
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={confirm}
      />
      {factor.dialog}
    </>
  );
}
