import { MailOpen } from 'lucide-react';
import { useState } from 'react';
import type { Invitation } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useSession } from '../../shell/session.tsx';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { inviterName } from '../shared/inviter.ts';
import { RevokeInvitation } from '../shared/revoke-invitation.tsx';

/** The links of all accounts, and those for operators, that can still be used. */
export function Invitations() {
  const text = useText(usersText);
  const [chosen, setChosen] = useState<Invitation | null>(null);
  const listed = useList('listInvitations', { query: { open: true } });
  return (
    <>
      <DataTable
        label={text.invitations}
        columns={useColumns(setChosen)}
        rows={listed}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={MailOpen} title={text.noInvitations}>
            {text.noInvitationsText}
          </Empty>
        }
      />
      <RevokeInvitation invitation={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

function useColumns(onRevoke: (invitation: Invitation) => void): readonly Column<Invitation>[] {
  const text = useText(usersText);
  const { me } = useSession();
  const { items: users } = useList('listUsers', {});
  const nameOf = (createdBy: string) => inviterName(createdBy, users, { id: me.id, you: text.you });
  return [
    {
      id: 'email',
      title: text.email,
      width: 'minmax(6rem, 2fr)',
      cell: ({ email }) => <span title={email ?? undefined}>{email ?? text.anybody}</span>,
    },
    {
      id: 'as',
      title: text.inviteAs,
      width: 'minmax(5rem, 1.5fr)',
      cell: ({ operator, account, role }) =>
        operator ? text.operator : `${account ?? ''} · ${role === null ? '' : text.roles[role]}`,
    },
    { id: 'by', title: text.invitedBy, from: 'md', cell: ({ created_by }) => nameOf(created_by) },
    { id: 'until', title: text.until, from: 'sm', cell: ({ expires_at }) => <Time at={expires_at} isRelative /> },
    {
      id: 'actions',
      title: '',
      width: '5.25rem',
      align: 'end',
      cell: (invitation) => (
        <Button size="small" onClick={() => onRevoke(invitation)}>
          {text.revoke}
        </Button>
      ),
    },
  ];
}
