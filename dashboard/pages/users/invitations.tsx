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

/** The open invitations of all accounts and for operators. */
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
        rowHeight={48}
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
  const become = ({ operator, account, account_name, role }: Invitation) =>
    operator ? text.operator : `${account_name ?? account ?? ''} · ${role === null ? '' : text.roles[role]}`;
  return [
    {
      id: 'email',
      title: text.email,
      width: 'minmax(6rem, 2fr)',
      cell: (invitation) => (
        <>
          <span className="block truncate" title={invitation.email ?? undefined}>
            {invitation.email ?? text.anybody}
          </span>
          <span className="block truncate text-soft text-xs sm:hidden">{become(invitation)}</span>
        </>
      ),
    },
    {
      id: 'as',
      title: text.inviteAs,
      width: 'minmax(5rem, 1.5fr)',
      from: 'sm',
      cell: (invitation) => <span title={invitation.account ?? undefined}>{become(invitation)}</span>,
    },
    {
      id: 'by',
      title: text.invitedBy,
      from: 'md',
      cell: (invitation) => inviterName(invitation, { id: me.id, you: text.you }),
    },
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
