import type { User } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { EraseDialog } from '../shared/erase-dialog.tsx';

interface EraseQuestionProps {
  readonly user: User;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

/** Asks for confirmation to erase a person. */
export function EraseQuestion({ user: { id, name, email }, ...dialog }: EraseQuestionProps) {
  const text = useText(usersText);
  const erase = useChange('eraseUser', { touches: ['listUsers', 'listMembers', 'listInvitations', 'listAudit'] });
  const run = () => erase.mutateAsync({ params: { id } });
  return <EraseDialog text={text} name={name} typeToConfirm={email} erase={run} {...dialog} />;
}
