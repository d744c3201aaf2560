import { useState } from 'react';
import type { Invitation } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSession } from '../../shell/session.tsx';
import { membersText } from '../../text/members.ts';
import { useText } from '../../text/text.tsx';
import { inviterName } from '../shared/inviter.ts';
import { RevokeInvitation } from '../shared/revoke-invitation.tsx';

/** The account's open invitations. */
export function OpenInvitations() {
  const text = useText(membersText);
  const { query } = useScope();
  const [chosen, setChosen] = useState<Invitation | null>(null);
  const listed = useList('listInvitations', { query: { ...query, open: true } });
  return (
    <section className="mt-8">
      <h2 className="mb-3 font-semibold">{text.open}</h2>
      <DataTable
        label={text.open}
        columns={useColumns(setChosen)}
        rows={listed}
        keyOf={({ id }) => id}
        empty={<p className="text-soft">{text.noneOpen}</p>}
      />
      <RevokeInvitation invitation={chosen} query={query} onClose={() => setChosen(null)} />
    </section>
  );
}

function useColumns(onRevoke: (invitation: Invitation) => void): readonly Column<Invitation>[] {
  const text = useText(membersText);
  const { me } = useSession();
  const you = { id: me.id, you: text.you };
  return [
    {
      id: 'email',
      title: text.email,
      width: 'minmax(9rem, 2fr)',
      cell: (invitation) => (
        <>
          {invitation.email ?? text.anybody}{' '}
          <span className="text-soft text-sm">{text.invitedBy(inviterName(invitation, you))}</span>
        </>
      ),
    },
    { id: 'role', title: text.role, width: '6rem', cell: ({ role }) => (role === null ? '' : text.roles[role]) },
    {
      id: 'until',
      title: text.until,
      from: 'sm',
      cell: ({ expires_at }) => <Time at={expires_at} isRelative />,
    },
    {
      id: 'actions',
      title: '',
      width: '6rem',
      align: 'end',
      cell: (invitation) => (
        <Button size="small" onClick={() => onRevoke(invitation)}>
          {text.revoke}
        </Button>
      ),
    },
  ];
}
