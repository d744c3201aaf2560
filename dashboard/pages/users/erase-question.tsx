import type { User } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { useRecentFactor } from '../shared/recent-factor.tsx';

interface EraseQuestionProps {
  readonly user: User;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

/** Asks whether a person is to be erased, and for a second factor where none was used lately. */
export function EraseQuestion({ user: { id, name, email }, isOpen, onClose, onErased }: EraseQuestionProps) {
  const text = useText(usersText);
  const toast = useToast();
  const factor = useRecentFactor();
  const erase = useChange('eraseUser', { touches: ['listUsers', 'listMembers', 'listInvitations', 'listAudit'] });
  const work = async () => {
    const { pseudonym } = await factor.run(() => erase.mutateAsync({ params: { id } }));
    toast.done(text.wasErased(pseudonym ?? ''));
    onErased();
  };
  // The question closes at once, since the second factor may be asked for in a dialog of its own.
  const confirm = async () => void work().catch(toast.failed);
  return (
    <>
      <ConfirmDialog
        title={text.eraseTitle(name)}
        body={text.eraseText}
        confirmLabel={text.erase}
        typeToConfirm={email}
        isDanger
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={confirm}
      />
      {factor.dialog}
    </>
  );
}
