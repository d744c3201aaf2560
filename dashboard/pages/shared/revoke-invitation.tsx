import type { Invitation } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { membersText } from '../../text/members.ts';
import { useText } from '../../text/text.tsx';

export interface RevokeInvitationProps {
  /** `null` while none is chosen. */
  readonly invitation: Invitation | null;
  /** The invitation's account; empty for operators, who see all. */
  readonly query?: { readonly account_id?: string };
  readonly onClose: () => void;
}

/** Asks for confirmation to revoke the link. */
export function RevokeInvitation({ invitation, query = {}, onClose }: RevokeInvitationProps) {
  const text = useText(membersText);
  const toast = useToast();
  const revoke = useChange('revokeInvitation', { touches: ['listInvitations', 'listAudit'] });
  return (
    <ConfirmDialog
      title={text.revokeTitle}
      body={text.revokeText}
      confirmLabel={text.revoke}
      isDanger
      isOpen={invitation !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (invitation === null) return;
        await revoke.mutateAsync({ params: { id: invitation.id }, query });
        toast.done(text.revoked);
      }}
    />
  );
}
